package dev.ebb.plan.search;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

class ModelDigestTest {
    /** A class that decides plans and is not digested would leave old plans in caches. */
    @Test
    void everyClassOfTheSearchIsPartOfTheKey() throws IOException {
        var sources = Path.of("src", "main", "java", "dev", "ebb", "plan", "search");
        var digest = Files.readString(sources.resolve("ModelDigest.java"));
        try (var files = Files.list(sources)) {
            for (var file : files.map(f -> f.getFileName().toString()).toList()) {
                var name = file.replace(".java", "");
                // these make problems and ask for plans of them, and search for none
                if (name.equals("package-info")
                        || name.equals("PlanFamilies")
                        || name.equals("TapeSearch")) continue;
                assertThat(digest).as(name).contains(name + ".class");
            }
        }
    }

    @Test
    void anotherCostIsAnotherKey() {
        var problem = Toy.transformerStep(2, 64, 16);
        var one = ModelDigest.of(new SearchModel(problem, Toy.COST)).text();
        assertThat(ModelDigest.of(new SearchModel(problem, Toy.COST)).text()).isEqualTo(one);
        assertThat(ModelDigest.of(new SearchModel(problem, n -> 1 + Toy.COST.of(n))).text())
                .isNotEqualTo(one);
        assertThat(ModelDigest.of(new SearchModel(Toy.transformerStep(2, 64, 32), Toy.COST)).text())
                .isNotEqualTo(one);
    }
}
