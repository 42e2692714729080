package io.holdfast.lockfile;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Draws at random which process is next, which is suspended for long or killed, and how the clock
 * moves. Each seed has its own frequency of process changes: from every step to hardly ever.
 */
final class RandomSchedule implements Simulation.Schedule {
    private static final int[] PERCENT_STAY = {0, 50, 80, 95};
    private static final int LONGEST_STOP = 150;
    private static final int MOST_STEPS = 50_000;

    private final Simulation simulation;
    private final int stay;
    private final Map<SimulatedProcess, Integer> stoppedUntil = new HashMap<>();
    private final Set<SimulatedProcess> mayBeKilled = new HashSet<>();
    private int killOdds;
    private int clockOdds;
    private boolean clockMayGoBack;
    private int steps;

    RandomSchedule(Simulation simulation) {
        this.simulation = simulation;
        stay = PERCENT_STAY[simulation.below(PERCENT_STAY.length)];
    }

    RandomSchedule killing(int odds) {
        killOdds = odds;
        mayBeKilled.addAll(simulation.processes());
        return this;
    }

    RandomSchedule movingClock(int odds, boolean alsoBack) {
        clockOdds = odds;
        clockMayGoBack = alsoBack;
        return this;
    }

    @Override
    public @Nullable SimulatedProcess next(@Nullable SimulatedProcess last) {
        if (++steps > MOST_STEPS) {
            throw new AssertionError("this does not end");
        }
        List<SimulatedProcess> running = running();
        if (running.isEmpty()) {
            return null;
        }
        disturb(running);
        if (last != null && isCrucial(last.nextStep()) && simulation.oneIn(6)) {
            stop(last);
        }
        if (last != null && isReady(last) && simulation.below(100) < stay) {
            return last;
        }
        List<SimulatedProcess> ready = new ArrayList<>(running);
        ready.removeIf(process -> !isReady(process));
        List<SimulatedProcess> choice = ready.isEmpty() ? running : ready;
        return choice.get(simulation.below(choice.size()));
    }

    private boolean isReady(SimulatedProcess process) {
        return !process.isFinished() && stoppedUntil.getOrDefault(process, 0) <= steps;
    }

    private void stop(SimulatedProcess process) {
        stoppedUntil.put(process, steps + simulation.below(LONGEST_STOP));
    }

    /**
     * Whether the step is critical: the outcome may depend on what other processes do just before
     * it.
     */
    private static boolean isCrucial(String step) {
        return step.startsWith("rename")
                || step.startsWith("link")
                || step.startsWith("delete")
                || step.startsWith("write");
    }

    private List<SimulatedProcess> running() {
        List<SimulatedProcess> running = new ArrayList<>();
        for (SimulatedProcess process : simulation.processes()) {
            if (!process.isFinished()) {
                running.add(process);
            }
        }
        return running;
    }

    private void disturb(List<SimulatedProcess> running) {
        SimulatedProcess process = running.get(simulation.below(running.size()));
        if (simulation.oneIn(40)) {
            stop(process);
        } else if (killOdds > 0
                && mayBeKilled.contains(process)
                && process.isAlive()
                && simulation.oneIn(killOdds)) {
            simulation.kill(process);
        } else if (clockOdds > 0 && simulation.oneIn(clockOdds)) {
            if (clockMayGoBack && simulation.oneIn(4)) {
                simulation.setClock(simulation.now() - simulation.below(20));
            } else {
                simulation.moveClock(1 + simulation.below(15));
            }
        }
    }
}
