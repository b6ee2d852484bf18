package dev.ebb.cuda;

import dev.ebb.cuda.driver.Driver;
import dev.ebb.cuda.recipe.Recipe;

import java.nio.file.Path;
import java.util.List;

/** The first card with one stream, for single kernels. */
final class OpenCard implements AutoCloseable {
    private final Card card;
    private final long stream;

    OpenCard(Path cache) {
        card = new Card(0, List.of(), cache);
        card.enter();
        stream = card.streams().stream();
    }

    String describe() {
        return card.describe();
    }

    Driver driver() {
        return card.streams();
    }

    long stream() {
        return stream;
    }

    int kernels() {
        return card.kernels().count();
    }

    double compileSeconds() {
        return card.kernels().compileSeconds();
    }

    Runnable bind(Recipe recipe, OperandAddresses addresses) {
        var pieces = addresses.bind(recipe, card, stream);
        return () -> pieces.forEach(p -> p.body().run());
    }

    void compile(List<Recipe> recipes) {
        card.compile(recipes.stream().flatMap(r -> RecipeCache.launches(r).stream()).toList());
    }

    void await() {
        driver().drain(stream);
    }

    @Override
    public void close() {
        driver().destroyStream(stream);
        card.close();
    }
}
