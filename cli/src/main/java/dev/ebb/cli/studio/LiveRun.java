package dev.ebb.cli.studio;

import dev.ebb.cli.report.RunFigures;
import dev.ebb.cli.report.RunWatch;
import dev.ebb.exec.Report;
import dev.ebb.nn.file.Json;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.LongConsumer;

/**
 * A training run that the studio started: its progress so far, in bounded memory, and the pages
 * that show it.
 */
final class LiveRun implements RunWatch {
    private static final int MOST_READERS = 16;
    private static final int MOST_KERNELS = 12;

    /** The state of a run. */
    enum State {
        STARTING,
        TRAINING,
        STOPPING,
        STOPPED,
        FINISHED,
        FAILED;

        boolean isOver() {
            return this == STOPPED || this == FINISHED || this == FAILED;
        }
    }

    private final String name;
    private final String command;
    private final LongConsumer onSaved;
    private final SampledCurve losses = new SampledCurve();
    private final SampledCurve heldOut = new SampledCurve();
    private final SampledCurve speed = new SampledCurve();
    private final List<LatestEvent> readers = new CopyOnWriteArrayList<>();
    private State state = State.STARTING;
    private Optional<Begin> begin = Optional.empty();
    private Optional<Made> latest = Optional.empty();
    private Optional<RunFigures> outcome = Optional.empty();
    private Optional<Double> heldOutLatest = Optional.empty();
    private String said = "";
    private long events;

    /**
     * @param command the command line of the run
     * @param onSaved called with the step of each checkpoint
     */
    LiveRun(String name, String command, LongConsumer onSaved) {
        this.name = name;
        this.command = command;
        this.onSaved = onSaved;
    }

    String name() {
        return name;
    }

    synchronized State state() {
        return state;
    }

    /** Asks the run to stop after its current step. */
    synchronized void stop() {
        if (!state.isOver()) state = State.STOPPING;
        publish();
    }

    @Override
    public synchronized boolean isStopAsked() {
        return state == State.STOPPING;
    }

    @Override
    public synchronized void begins(Begin news) {
        begin = Optional.of(news);
        if (state == State.STARTING) state = State.TRAINING;
        publish();
    }

    @Override
    public synchronized void made(Made step) {
        latest = Optional.of(step);
        losses.add(step.step(), step.loss());
        begin.ifPresent(b -> speed.add(step.step(), b.tokens() / step.seconds()));
        publish();
    }

    @Override
    public void saved(long step) {
        onSaved.accept(step);
    }

    /** Records the validation loss of the checkpoint of {@code step}. */
    synchronized void evaluated(long step, double loss) {
        heldOut.add(step, loss);
        heldOutLatest = Optional.of(loss);
        publish();
    }

    @Override
    public synchronized void ends(RunFigures news, boolean stopped) {
        outcome = Optional.of(news);
    }

    /** Records that the command has ended. */
    synchronized void ended(int code, String text) {
        said = text;
        state = code == 0 ? State.FINISHED : code == 130 ? State.STOPPED : State.FAILED;
        publish();
        readers.forEach(LatestEvent::close);
        readers.clear();
    }

    /**
     * Subscribes a page: the latest event is put into the returned object until the run is over.
     */
    synchronized LatestEvent subscribe() {
        if (readers.size() >= MOST_READERS)
            throw new RequestError(429, "too many pages show this run; close one");
        var box = new LatestEvent();
        box.put(event());
        if (state.isOver()) box.close();
        else readers.add(box);
        return box;
    }

    void unsubscribe(LatestEvent box) {
        readers.remove(box);
    }

    private void publish() {
        events++;
        if (readers.isEmpty()) return;
        var event = event();
        readers.forEach(box -> box.put(event));
    }

    private String event() {
        var all = new LinkedHashMap<>(now());
        all.put("event", Json.of(events));
        return Json.of(all).toString();
    }

    private Map<String, Json> now() {
        var all = new LinkedHashMap<String, Json>();
        all.put("name", Json.of(name));
        all.put("state", Json.of(state.name().toLowerCase(Locale.ROOT)));
        all.put("command", Json.of(command));
        begin.ifPresent(
                b -> {
                    all.put("steps", Json.of(b.steps()));
                    all.put("promised", Json.of(b.promisedBytes()));
                    all.put("budget", Json.of(b.budgetBytes()));
                });
        latest.ifPresent(
                m -> {
                    all.put("step", Json.of(m.step()));
                    all.put("loss", Json.of(m.loss()));
                    all.put("measured", Json.of(m.measuredBytes()));
                    begin.ifPresent(b -> all.put("speed", Json.of(b.tokens() / m.seconds())));
                });
        heldOutLatest.ifPresent(loss -> all.put("heldOut", Json.of(loss)));
        outcome.ifPresent(
                o -> {
                    all.put("digest", Json.of(o.digest()));
                    all.put("step", Json.of(o.losses().size()));
                });
        if (state.isOver()) all.put("said", Json.of(said));
        return all;
    }

    /** Everything that the page draws of the run. */
    synchronized Json json() {
        var all = new LinkedHashMap<>(now());
        all.put("live", Json.of(!state.isOver()));
        all.put("losses", losses.json());
        all.put("heldOuts", heldOut.json());
        all.put("speeds", speed.json());
        outcome.ifPresent(
                o ->
                        all.put(
                                "kernels",
                                Json.of(
                                        o.kernels().stream()
                                                .limit(MOST_KERNELS)
                                                .map(LiveRun::kernel)
                                                .toList())));
        return Json.of(all);
    }

    private static Json kernel(Report.KernelTime time) {
        return Json.of(
                List.of(Json.of(time.op()), Json.of(time.calls()), Json.of(time.seconds() * 1000)));
    }
}
