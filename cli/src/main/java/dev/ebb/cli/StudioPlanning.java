package dev.ebb.cli;

import dev.ebb.Devices;
import dev.ebb.cli.option.BareGraph;
import dev.ebb.cli.option.BarePlan;
import dev.ebb.cli.option.Refusal;
import dev.ebb.cli.studio.ModelKey;
import dev.ebb.cli.studio.PlanningBackend;
import dev.ebb.cli.studio.StudioFolder;
import dev.ebb.exec.Device;
import dev.ebb.nn.adapt.QuantisedDense.Bits;
import dev.ebb.plan.Budget;
import dev.ebb.plan.cache.PlanCache;
import dev.ebb.plan.schedule.Disk;
import dev.ebb.plan.schedule.Host;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** Plans for the studio, made by the planner of the commands. */
record StudioPlanning(PlanCache cache, StudioFolder folder) implements PlanningBackend {

    @Override
    public Step step(ModelKey key) {
        if (!key.graph().isEmpty()) return bare(folder.file(key.graph()));
        var model = model(key);
        var device = device(key);
        var cost = device.cost();
        var plans = model.plans(device, cost);
        var all = withPlaces(Budget.unlimited(), key);
        return new Step(
                plans.within(all),
                budget -> plans.within(withPlaces(budget, key)),
                () -> plans.curve(all),
                model.names());
    }

    private static Budget withPlaces(Budget budget, ModelKey key) {
        var all = budget;
        if (key.hostBytes() > 0) all = all.with(Host.memory(key.hostBytes()));
        if (key.diskBytes() > 0) all = all.with(Disk.in(Path.of("."), key.diskBytes()));
        return all;
    }

    private static Step bare(Path file) {
        try {
            var plan = BarePlan.curve(BareGraph.read(file)).at(Budget.unlimited());
            return new Step(plan, List.of());
        } catch (IOException e) {
            throw new Refusal(String.valueOf(e.getMessage()));
        }
    }

    @Override
    public Memory memory(ModelKey key) {
        var model = model(key);
        var device = device(key);
        var figures =
                switch (key.trained()) {
                    case WHOLE -> model.memory(device);
                    case ADAPTERS -> model.tuned(device);
                    case ADAPTERS_8_BITS -> model.tuned(Bits.EIGHT, device);
                    case ADAPTERS_4_BITS -> model.tuned(Bits.FOUR, device);
                };
        return new Memory(figures.bytes(), figures.training(), figures.use(), model.scoreBytes());
    }

    private PlannedModel model(ModelKey key) {
        return new PlannedModel(source(key), key.precision(), key.optimizer(), cache);
    }

    private ModelSource source(ModelKey key) {
        var size = key.size();
        if (key.from().isEmpty()) return new ModelSource.OfSize(size);
        try {
            return ModelSource.read(folder.file(key.from()), size, size.batch(), size.context());
        } catch (IOException e) {
            throw new Refusal(String.valueOf(e.getMessage()));
        }
    }

    private static Device device(ModelKey key) {
        return key.device().equals("best") ? Devices.best() : Devices.named(key.device());
    }
}
