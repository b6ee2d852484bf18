package dev.ebb.plan.search;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.plan.Curve;
import dev.ebb.plan.cache.SearchCache;
import dev.ebb.plan.schedule.Disk;
import dev.ebb.plan.schedule.Host;
import dev.ebb.plan.schedule.Place;
import dev.ebb.plan.schedule.Problem;
import dev.ebb.plan.schedule.Speed;
import dev.ebb.plan.schedule.Way;
import dev.ebb.plan.schedule.Ways;

import org.junit.jupiter.api.Test;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;

/** Which selections of the places outside the arena are searched. */
class PlanFamiliesTest {
    private static final int SEEDS = 2;

    /** The budgets of a program that are compared. */
    private static final int PARTS = 24;

    /** Of twenty generations of plans, those that nine tenths of the memory need at most. */
    private static final int GENERATIONS = 8;

    private static final Place NEAR = Host.memory(1 << 20);
    private static final Place LARGE = Host.memory(1 << 24);
    private static final Place DISK = Disk.in(Path.of("fast"), 1 << 26);
    private static final Place SLOW = Disk.in(Path.of("slow"), 1L << 40);
    private static final List<Place> ALL = List.of(NEAR, LARGE, DISK, SLOW);

    @Test
    void everySelectionOfUpToFourPlacesIsSearchedAndAFurtherPlaceKeepsThoseThereWere() {
        var before = PlanFamilies.selections(Ways.every(), List.of());
        assertThat(before).containsExactly(List.of());
        for (int count = 1; count <= ALL.size(); count++) {
            var places = ALL.subList(0, count);
            var selections = PlanFamilies.selections(Ways.every(), places);
            assertThat(selections).hasSize(1 << count).doesNotHaveDuplicates().containsAll(before);
            assertThat(selections.getLast()).isEqualTo(places);
            before = selections;
        }
    }

    @Test
    void ofManyPlacesThoseOfUpToThreeAndTheNearestAreSelected() {
        var many = new ArrayList<>(ALL);
        for (int i = 0; i < 4; i++) many.add(Disk.in(Path.of("disk" + i), 1 << 20));
        var selections = PlanFamilies.selections(Ways.every(), many);
        assertThat(selections).hasSize(1 + 8 + 28 + 56 + 5).doesNotHaveDuplicates();
        assertThat(selections).containsAll(PlanFamilies.selections(Ways.every(), ALL));
        assertThat(selections.getLast()).isEqualTo(many);
    }

    /** Chains of layers of random widths and costs, some of which read an earlier value again. */
    private static Problem random(Random random) {
        var toy = new Toy();
        var values = new ArrayList<>(List.of(toy.map("in", 2048, toy.input(2048))));
        for (int l = 0; l < 3; l++) {
            int size = 1024 * (1 + random.nextInt(4));
            var x = values.getLast();
            var skip = values.get(random.nextInt(values.size()));
            var product = toy.product(random.nextInt(1, 9), size, x, skip, toy.weight(2048));
            values.add(toy.map("tanh", size, product));
        }
        var loss = toy.emit("loss", 1, 1, Set.of(), false, values.getLast());
        return random.nextBoolean() ? toy.train(loss) : toy.gradient(loss);
    }

    /** Plans do not depend on the number of threads that search, nor on their order. */
    @Test
    void familiesThatAreSearchedAtTheSameTimeFindTheSamePlans() {
        var random = new Random(3);
        for (int i = 0; i < 2 * SEEDS; i++) {
            var problem = random(random).with(List.of(place(random), NEAR, SLOW));
            var alone = families(problem);
            long bytes = alone.getFirst().all().getFirst().peak() * 3 / 5;
            // the largest family first, which asks the smaller ones for what it needs
            var expected = new ArrayList<Optional<Member>>();
            for (var frontier : alone.reversed())
                expected.addFirst(frontier.answer(bytes, _ -> true));
            var found =
                    families(problem).parallelStream()
                            .map(f -> f.answer(bytes, _ -> true))
                            .toList();
            assertThat(found).hasSize(expected.size());
            for (int k = 0; k < found.size(); k++) {
                assertThat(found.get(k).map(Member::sequence))
                        .usingRecursiveComparison()
                        .isEqualTo(expected.get(k).map(Member::sequence));
                assertThat(found.get(k).map(Member::extra))
                        .isEqualTo(expected.get(k).map(Member::extra));
            }
        }
    }

    /**
     * With places, too, more memory never costs time, and a budget has the same plan whichever
     * budgets were asked for before.
     */
    @Test
    void timesFallWithMemoryAndDoNotDependOnTheOrderOfRequests() {
        for (int seed = 1; seed <= 2 * SEEDS; seed++) {
            var random = new Random(seed);
            var problem = random(random).with(List.of(place(random), place(random)));
            long most = families(problem).getFirst().members(1).getFirst().peak();
            var rising = new ArrayList<Optional<Double>>();
            var falling = new ArrayList<Optional<Double>>();
            var upwards = families(problem);
            var downwards = families(problem);
            for (int part = 1; part <= PARTS; part++) {
                rising.add(least(upwards, most * part / PARTS));
                falling.addFirst(least(downwards, most * (PARTS + 1 - part) / PARTS));
            }
            assertThat(rising).as("seed %d", seed).isEqualTo(falling);
            var times = rising.stream().flatMap(Optional::stream).toList();
            assertThat(times)
                    .as("seed %d", seed)
                    .isSortedAccordingTo(Comparator.<Double>naturalOrder().reversed());
        }
    }

    /** The least cost in {@code bytes} of memory; none where no plan fits. */
    private static Optional<Double> least(List<Frontier> families, long bytes) {
        return families.stream()
                .flatMap(f -> f.answer(bytes, _ -> true).stream())
                .map(Member::extra)
                .min(Comparator.naturalOrder());
    }

    /** Also the families whose states start outside the arena, of which most plans are smaller. */
    @Test
    void aBudgetIsSearchedForOnlyAsFarAsItIsSmall() {
        for (int seed = 1; seed <= 2 * SEEDS; seed++) {
            var random = new Random(seed);
            var families = families(random(random).with(List.of(place(random), NEAR, SLOW)));
            long most = families.getFirst().members(1).getFirst().peak();
            least(families, most * 9 / 10);
            for (var family : families)
                assertThat(family.size()).as("seed %d", seed).isLessThanOrEqualTo(GENERATIONS);
        }
    }

    private static List<Frontier> families(Problem problem) {
        return new PlanFamilies(problem, Toy.COST, SearchEffort.PART, SearchCache.NONE)
                .of(Ways.every());
    }

    private static Place place(Random random) {
        double rate = 2000 * Math.pow(10, 2 * random.nextDouble());
        var speed = new Speed(rate, 2 * rate, 0.01);
        long room = random.nextBoolean() ? 1 << 20 : (8 + random.nextInt(24)) << 10;
        return random.nextBoolean()
                ? new Host(Host.Kind.PAGEABLE, room, speed)
                : new Disk(Path.of("disk"), room, speed);
    }

    /** At every corner of any of their curves, all three places cost no more than any selection. */
    @Test
    void noSelectionOfThreePlacesIsFasterThanAllOfThemOnRandomPrograms() {
        for (int seed = 1; seed <= SEEDS; seed++) {
            var random = new Random(seed);
            var problem = random(random);
            var places = List.of(place(random), place(random), place(random));
            var curves = new ArrayList<List<Curve.Point>>();
            var budgets = new TreeSet<Long>();
            for (int some = 0; some < 8; some++) {
                var selected = new ArrayList<Place>();
                for (int k = 0; k < 3; k++) if ((some >> k & 1) == 1) selected.add(places.get(k));
                var curve = new Curve(problem.with(selected), Toy.COST, Curve.Measure.LIVE);
                curves.add(curve.points());
                for (var point : curves.getLast()) budgets.add(point.bytes());
            }
            for (long bytes : budgets) {
                var costs = curves.stream().map(points -> cost(points, bytes)).toList();
                for (double fewer : costs)
                    assertThat(costs.getLast())
                            .as("seed %d, %d bytes: %s", seed, bytes, costs)
                            .isLessThanOrEqualTo(fewer);
            }
        }
    }

    /** What {@code bytes} of memory allow; the cheapest point comes first. */
    private static double cost(List<Curve.Point> points, long bytes) {
        var first = points.stream().filter(p -> p.bytes() <= bytes).findFirst();
        return first.map(Curve.Point::cost).orElse(Double.POSITIVE_INFINITY);
    }

    /** So that what each kind of place adds can be shown. */
    @Test
    void thePlacesOfANearerKindAreSelectedTogetherWhereverTheyAreNamed() {
        var mixed = List.of(DISK, NEAR, SLOW, LARGE);
        var hosts = PlanFamilies.selections(Ways.of(Way.HOST), mixed);
        assertThat(hosts)
                .containsExactly(List.of(), List.of(NEAR), List.of(LARGE), List.of(NEAR, LARGE));
        assertThat(PlanFamilies.selections(Ways.every(), mixed)).containsAll(hosts).endsWith(mixed);
    }
}
