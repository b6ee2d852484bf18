package dev.ebb.exec.tape;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.ir.DType;
import dev.ebb.ir.Type;
import dev.ebb.ir.Value;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

class LeastRecentTest {
    @Test
    void eachKindIsInTheOrderOfTouches() {
        var random = new Random(5);
        var recent = new LeastRecent();
        var expected = new ArrayList<List<Integer>>();
        for (int kind = 0; kind < 40; kind++) expected.add(new ArrayList<>());
        for (int move = 0; move < 3_000; move++) {
            int id = random.nextInt(200);
            int kind = id % 40;
            var value = new Value(id, Type.of(DType.F64));
            expected.get(kind).remove((Integer) id);
            if (random.nextInt(4) == 0) {
                recent.remove(value);
            } else {
                recent.touch(value, kind);
                expected.get(kind).add(id);
            }
            if (kind >= recent.kinds()) continue;
            var found = new ArrayList<Integer>();
            for (int at = recent.first(kind); at >= 0; at = recent.after(at)) {
                found.add(at);
                assertThat(recent.value(at).id()).isEqualTo(at);
            }
            assertThat(found).isEqualTo(expected.get(kind));
        }
    }
}
