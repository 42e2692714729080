package io.holdfast.cluster.raft;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.cluster.ClusterTls;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

/** A certificate authority for nodes on this machine, by the JDK's keytool. */
public final class TestAuthority {
    private static final String PASSWORD = "changeit";

    private final Path folder;
    private final Path store;
    private final Path certificate;

    private TestAuthority(Path folder, Path store, Path certificate) {
        this.folder = folder;
        this.store = store;
        this.certificate = certificate;
    }

    public static TestAuthority create(Path folder, String name)
            throws IOException, InterruptedException, GeneralSecurityException {
        Path store = folder.resolve(name + ".p12");
        keytool(store, "-genkeypair", "-keyalg", "EC", "-dname", "CN=" + name, "-ext", "bc:c");
        Path certificate = folder.resolve(name + ".pem");
        write(
                certificate,
                "CERTIFICATE",
                KeyStore.getInstance(store.toFile(), PASSWORD.toCharArray())
                        .getCertificate("mykey")
                        .getEncoded());
        return new TestAuthority(folder, store, certificate);
    }

    public Path certificate() {
        return certificate;
    }

    /** Creates the files of a node with a certificate that it has signed. */
    public ClusterTls sign(String name)
            throws IOException, InterruptedException, GeneralSecurityException {
        Path own = folder.resolve(name + ".p12");
        keytool(own, "-genkeypair", "-keyalg", "EC", "-dname", "CN=" + name);
        Path request = folder.resolve(name + ".csr");
        keytool(own, "-certreq", "-file", request.toString());
        Path signed = folder.resolve(name + ".crt");
        keytool(
                store,
                "-gencert",
                "-rfc",
                "-infile",
                request.toString(),
                "-outfile",
                signed.toString(),
                "-ext",
                "san=ip:127.0.0.1,dns:localhost");
        Path key = folder.resolve(name + ".key");
        KeyStore keys = KeyStore.getInstance(own.toFile(), PASSWORD.toCharArray());
        write(key, "PRIVATE KEY", keys.getKey("mykey", PASSWORD.toCharArray()).getEncoded());
        return new ClusterTls(signed, key, certificate);
    }

    static void write(Path file, String label, byte[] content) throws IOException {
        String base64 = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(content);
        Files.writeString(
                file,
                "-----BEGIN " + label + "-----\n" + base64 + "\n-----END " + label + "-----\n");
    }

    private static void keytool(Path store, String... words)
            throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "keytool").toString());
        command.addAll(List.of(words));
        command.addAll(List.of("-keystore", store.toString(), "-storepass", PASSWORD));
        Process keytool = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(keytool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(keytool.waitFor()).as(output).isZero();
    }
}
