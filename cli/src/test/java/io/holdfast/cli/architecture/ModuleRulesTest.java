package io.holdfast.cli.architecture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;

import io.holdfast.cli.architecture.fixture.cluster.admin.UsesRatis;
import io.holdfast.cli.architecture.fixture.cluster.raft.MayUseRatis;
import io.holdfast.cli.architecture.fixture.driver.DriverViolations.DependsOnTheProtocol;
import io.holdfast.cli.architecture.fixture.driver.DriverViolations.DependsOnTheServer;
import io.holdfast.cli.architecture.fixture.east.East;
import io.holdfast.cli.architecture.fixture.engine.EngineViolations.Compliant;
import io.holdfast.cli.architecture.fixture.engine.EngineViolations.DependsOnAddresses;
import io.holdfast.cli.architecture.fixture.engine.EngineViolations.DrawsARandomNumber;
import io.holdfast.cli.architecture.fixture.engine.EngineViolations.DrawsAnId;
import io.holdfast.cli.architecture.fixture.engine.EngineViolations.DrawsFromTheThread;
import io.holdfast.cli.architecture.fixture.engine.EngineViolations.KeepsAClock;
import io.holdfast.cli.architecture.fixture.engine.EngineViolations.OpensASocket;
import io.holdfast.cli.architecture.fixture.engine.EngineViolations.Prints;
import io.holdfast.cli.architecture.fixture.engine.EngineViolations.ReadsAFile;
import io.holdfast.cli.architecture.fixture.engine.EngineViolations.ReadsInstantNow;
import io.holdfast.cli.architecture.fixture.engine.EngineViolations.ReadsNanoTime;
import io.holdfast.cli.architecture.fixture.engine.EngineViolations.ReadsTheWallClock;
import io.holdfast.cli.architecture.fixture.engine.EngineViolations.StartsAThread;
import io.holdfast.cli.architecture.fixture.engine.EngineViolations.TakesALock;
import io.holdfast.cli.architecture.fixture.engine.EngineViolations.UsesALibrary;
import io.holdfast.cli.architecture.fixture.protocol.ProtocolViolations.Allowed;
import io.holdfast.cli.architecture.fixture.protocol.ProtocolViolations.ChoosesATransport;
import io.holdfast.cli.architecture.fixture.protocol.ProtocolViolations.OpensAListener;
import io.holdfast.cli.architecture.fixture.protocol.ProtocolViolations.OwnsEventLoops;
import io.holdfast.cli.architecture.fixture.server.ServerViolations.DependsOnAListOfTheEngine;
import io.holdfast.cli.architecture.fixture.server.ServerViolations.DependsOnAPartOfTheEngine;
import io.holdfast.cli.architecture.fixture.server.ServerViolations.DependsOnInternals;
import io.holdfast.cli.architecture.fixture.server.ServerViolations.DependsOnTheCli;
import io.holdfast.cli.architecture.fixture.west.West;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import java.util.stream.Stream;

@DisplayName("The rules between modules")
class ModuleRulesTest {
    private static final JavaClasses OURS =
            new ClassFileImporter()
                    .withImportOption(new ImportOption.DoNotIncludeTests())
                    .withImportOption(location -> !location.contains("-tests.jar"))
                    .importPackages("io.holdfast");
    private static final ModuleRules REAL = new ModuleRules("io.holdfast");
    private static final ModuleRules FIXTURE =
            new ModuleRules("io.holdfast.cli.architecture.fixture");

    @ParameterizedTest(name = "{0}")
    @MethodSource("rules")
    void the_code_complies_with_every_rule(ArchRule rule) {
        rule.check(OURS);
    }

    @ParameterizedTest(name = "{0}: {1}")
    @MethodSource("violatingClasses")
    void each_rule_detects_each_violation(ArchRule rule, Class<?> violatingClass) {
        assertThat(violations(rule, violatingClass))
                .anyMatch(line -> line.contains(violatingClass.getSimpleName()));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("engineRules")
    void the_engine_rules_accept_a_compliant_class(ArchRule rule) {
        assertThat(violations(rule, Compliant.class)).isEmpty();
    }

    @Test
    void the_protocol_rule_accepts_buffers_and_codecs() {
        var rule = FIXTURE.protocolTakesBuffersAndCodecsFromNetty();
        assertThat(violations(rule, Allowed.class)).isEmpty();
    }

    @Test
    void the_raft_package_may_use_ratis() {
        var rule = FIXTURE.raftAloneUsesRatis();
        assertThat(violations(rule, MayUseRatis.class, UsesRatis.class))
                .isNotEmpty()
                .noneMatch(line -> line.contains(MayUseRatis.class.getSimpleName()));
    }

    @Test
    void the_cycle_rule_detects_packages_that_depend_on_each_other() {
        assertThat(violations(FIXTURE.noPackageCycles(), East.class, West.class)).hasSize(1);
        assertThat(violations(FIXTURE.noPackageCycles(), East.class)).isEmpty();
    }

    static Stream<ArchRule> rules() {
        return Stream.of(
                        engineRules(REAL),
                        ModuleRules.modules().stream()
                                .filter(module -> !module.equals("engine"))
                                .map(REAL::of),
                        ModuleRules.modules().stream().map(REAL::internalsStayInternal),
                        Stream.of(
                                REAL.dependsOnlyOnTheJdk("client"),
                                REAL.dependsOnlyOnTheJdk("socketlock"),
                                REAL.dependsOnlyOnTheJdk("lockd"),
                                REAL.dependsOnlyOnTheJdk("lockfile"),
                                REAL.protocolTakesBuffersAndCodecsFromNetty(),
                                REAL.nothingDependsOnTheCli(),
                                REAL.raftAloneUsesRatis(),
                                REAL.partsOfTheEngineStayInside(),
                                REAL.noPackageCycles()))
                .flatMap(some -> some);
    }

    static Stream<ArchRule> engineRules() {
        return engineRules(FIXTURE);
    }

    private static Stream<ArchRule> engineRules(ModuleRules moduleRules) {
        return Stream.of(
                moduleRules.of("engine"),
                moduleRules.dependsOnlyOnTheJdk("engine"),
                moduleRules.engineDoesNoInputOrOutput(),
                moduleRules.engineHasNoThreads(),
                moduleRules.engineIsDeterministic());
    }

    static Stream<Arguments> violatingClasses() {
        return Stream.of(
                        Stream.of(
                                arguments(
                                        FIXTURE.of("engine"),
                                        io.holdfast.cli.architecture.fixture.engine.EngineViolations
                                                .DependsOnTheDriver.class),
                                arguments(
                                        FIXTURE.of("protocol"),
                                        io.holdfast.cli.architecture.fixture.protocol
                                                .ProtocolViolations.DependsOnTheDriver.class)),
                        each(
                                FIXTURE.of("driver"),
                                DependsOnTheProtocol.class,
                                DependsOnTheServer.class),
                        each(FIXTURE.of("server"), DependsOnTheCli.class),
                        each(FIXTURE.nothingDependsOnTheCli(), DependsOnTheCli.class),
                        each(FIXTURE.internalsStayInternal("client"), DependsOnInternals.class),
                        each(
                                FIXTURE.partsOfTheEngineStayInside(),
                                DependsOnAPartOfTheEngine.class,
                                DependsOnAListOfTheEngine.class),
                        each(FIXTURE.dependsOnlyOnTheJdk("engine"), UsesALibrary.class),
                        each(
                                FIXTURE.engineDoesNoInputOrOutput(),
                                OpensASocket.class,
                                ReadsAFile.class,
                                Prints.class),
                        each(
                                FIXTURE.engineHasNoThreads(),
                                StartsAThread.class,
                                TakesALock.class,
                                DrawsFromTheThread.class),
                        each(
                                FIXTURE.engineIsDeterministic(),
                                ReadsNanoTime.class,
                                ReadsTheWallClock.class,
                                ReadsInstantNow.class,
                                KeepsAClock.class,
                                DrawsARandomNumber.class,
                                DrawsFromTheThread.class,
                                DrawsAnId.class,
                                DependsOnAddresses.class),
                        each(
                                FIXTURE.protocolTakesBuffersAndCodecsFromNetty(),
                                ChoosesATransport.class,
                                OpensAListener.class,
                                OwnsEventLoops.class),
                        each(FIXTURE.raftAloneUsesRatis(), UsesRatis.class))
                .flatMap(violatingClasses -> violatingClasses);
    }

    private static Stream<Arguments> each(ArchRule rule, Class<?>... violatingClasses) {
        return Stream.of(violatingClasses).map(violatingClass -> arguments(rule, violatingClass));
    }

    private static java.util.List<String> violations(ArchRule rule, Class<?>... classes) {
        JavaClasses imported = new ClassFileImporter().importClasses(classes);
        return rule.evaluate(imported).getFailureReport().getDetails();
    }
}
