plugins {
    application
}

repositories {
    mavenLocal()
    mavenCentral()
}

dependencies {
    implementation(platform("dev.ebb:ebb-bom:0.1.0-SNAPSHOT"))
    implementation("dev.ebb:ebb-core")
    runtimeOnly("dev.ebb:ebb-cpu")
}

java {
    toolchain {
        languageVersion = JavaLanguageVersion.of(25)
    }
}

application {
    mainClass = "first.First"
    applicationDefaultJvmArgs = listOf("--add-modules=jdk.incubator.vector")
}
