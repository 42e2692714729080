package io.holdfast.cli.docs;

import java.io.File;
import java.io.StringWriter;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

/**
 * A Java file, compiled for the oldest Java that the client supports.
 *
 * @param type the name of the type that it declares
 */
record JavaSource(String type, String text) {
    /** Compiles it into the folder and returns the compiler's messages; empty on success. */
    String compile(Path folder) {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StringWriter complaints = new StringWriter();
        JavaFileObject file =
                new SimpleJavaFileObject(
                        URI.create("string:///" + type + ".java"), JavaFileObject.Kind.SOURCE) {
                    @Override
                    public CharSequence getCharContent(boolean ignoreEncodingErrors) {
                        return text;
                    }
                };
        compiler.getTask(
                        complaints,
                        null,
                        null,
                        List.of(
                                "--release",
                                "17",
                                "-proc:none",
                                "-Xlint:classfile",
                                "-d",
                                folder.toString(),
                                "-cp",
                                usersPath()),
                        null,
                        List.of(file))
                .call();
        return complaints.toString();
    }

    /** Without the annotations that are only used when the project itself is compiled. */
    private static String usersPath() {
        return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
                .filter(entry -> !entry.contains("error_prone_annotations"))
                .collect(Collectors.joining(File.pathSeparator));
    }
}
