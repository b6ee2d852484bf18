rootProject.name = "first"
