package io.holdfast.cli.docs;

import java.io.StringWriter;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;

import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

/**
 * A Java file, for the oldest Java that the client is for.
 *
 * @param type what it declares
 */
record JavaSource(String type, String text) {
    /** What the compiler says about it: nothing, and it is in the folder. */
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
                                "-d",
                                folder.toString(),
                                "-cp",
                                System.getProperty("java.class.path")),
                        null,
                        List.of(file))
                .call();
        return complaints.toString();
    }
}
