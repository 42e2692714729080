package io.holdfast.server;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.ECGenParameterSpec;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;

import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** Generates self-signed certificates for localhost, and their keys in several forms. */
final class TestCertificates {
    private static final String RSA_SIGNATURE = "300d06092a864886f70d01010b0500";
    private static final String EC_SIGNATURE = "300a06082a8648ce3d040302";

    private final KeyPair keys;
    private final byte[] certificate;

    private TestCertificates(KeyPair keys, byte[] certificate) {
        this.keys = keys;
        this.certificate = certificate;
    }

    static TestCertificates rsa() throws GeneralSecurityException {
        KeyPairGenerator generator = KeyPairGenerator.getInstance("RSA");
        generator.initialize(2048);
        return of(generator.generateKeyPair(), "SHA256withRSA", RSA_SIGNATURE);
    }

    static TestCertificates ec() throws GeneralSecurityException {
        KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
        generator.initialize(new ECGenParameterSpec("secp256r1"));
        return of(generator.generateKeyPair(), "SHA256withECDSA", EC_SIGNATURE);
    }

    private static TestCertificates of(KeyPair keys, String algorithm, String identifier)
            throws GeneralSecurityException {
        byte[] name = der(0x30, der(0x31, der(0x30, hex("0603550403"), text("localhost"))));
        byte[] names = der(0x30, der(0x82, "localhost".getBytes(StandardCharsets.US_ASCII)));
        byte[] extension = der(0x30, hex("0603551d11"), der(0x04, names));
        byte[] body =
                der(
                        0x30,
                        der(0xa0, hex("020102")),
                        der(0x02, BigInteger.valueOf(System.nanoTime()).toByteArray()),
                        hex(identifier),
                        name,
                        der(0x30, time("20200101000000Z"), time("20991231235959Z")),
                        name,
                        keys.getPublic().getEncoded(),
                        der(0xa3, der(0x30, extension)));
        Signature signature = Signature.getInstance(algorithm);
        signature.initSign(keys.getPrivate());
        signature.update(body);
        byte[] signed = der(0x03, new byte[1], signature.sign());
        return new TestCertificates(keys, der(0x30, body, hex(identifier), signed));
    }

    Path certificate(Path directory) throws IOException {
        return write(directory, "CERTIFICATE", certificate);
    }

    /** The key as PKCS#8, the form of {@code openssl genpkey}. */
    Path key(Path directory) throws IOException {
        return write(directory, "PRIVATE KEY", keys.getPrivate().getEncoded());
    }

    /** The key in the older form of its algorithm: PKCS#1 or SEC 1. */
    Path oldKey(Path directory) throws IOException {
        byte[] inner = innerKey(keys.getPrivate());
        if (keys.getPrivate().getAlgorithm().equals("RSA")) {
            return write(directory, "RSA PRIVATE KEY", inner);
        }
        // Java omits the curve, because PKCS#8 has it outside of the key; SEC 1 has it inside.
        byte[] content = Arrays.copyOfRange(inner, 2, inner.length);
        int curveAt = 3 + 2 + 32;
        byte[] head = Arrays.copyOf(content, curveAt);
        byte[] tail = Arrays.copyOfRange(content, curveAt, content.length);
        byte[] curve = der(0xa0, hex("06082a8648ce3d030107"));
        return write(directory, "EC PRIVATE KEY", der(0x30, head, curve, tail));
    }

    TlsFiles files(Path directory) throws IOException {
        return new TlsFiles(certificate(directory), key(directory));
    }

    /** A context of a client that trusts only this certificate. */
    SSLContext trusting() throws GeneralSecurityException, IOException {
        KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
        store.load(null, null);
        store.setCertificateEntry("server", parsed());
        TrustManagerFactory trust =
                TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(store);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, trust.getTrustManagers(), null);
        return context;
    }

    private X509Certificate parsed() throws GeneralSecurityException, IOException {
        try (InputStream in = new ByteArrayInputStream(certificate)) {
            return (X509Certificate)
                    CertificateFactory.getInstance("X.509").generateCertificate(in);
        }
    }

    /** The octet string inside PKCS#8: the last element of the outer sequence. */
    private static byte[] innerKey(PrivateKey key) {
        byte[] outer = key.getEncoded();
        int at = content(outer, 0);
        at = end(outer, at); // version
        at = end(outer, at); // algorithm
        return Arrays.copyOfRange(outer, content(outer, at), end(outer, at));
    }

    private static int content(byte[] der, int at) {
        int first = der[at + 1] & 0xff;
        return at + 2 + (first < 0x80 ? 0 : first & 0x7f);
    }

    private static int end(byte[] der, int at) {
        int first = der[at + 1] & 0xff;
        int from = content(der, at);
        int length = first < 0x80 ? first : 0;
        for (int i = at + 2; i < from; i++) {
            length = (length << 8) | (der[i] & 0xff);
        }
        return from + length;
    }

    private static Path write(Path directory, String label, byte[] der) throws IOException {
        String lines = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(der);
        Path file = Files.createTempFile(directory, label.replace(' ', '-'), ".pem");
        return Files.writeString(
                file,
                "-----BEGIN " + label + "-----\n" + lines + "\n-----END " + label + "-----\n");
    }

    private static byte[] text(String value) {
        return der(0x0c, value.getBytes(StandardCharsets.UTF_8));
    }

    private static byte[] time(String value) {
        return der(0x18, value.getBytes(StandardCharsets.US_ASCII));
    }

    private static byte[] der(int tag, byte[]... contents) {
        var body = new ByteArrayOutputStream();
        for (byte[] content : contents) {
            body.writeBytes(content);
        }
        var out = new ByteArrayOutputStream();
        out.write(tag);
        if (body.size() < 0x80) {
            out.write(body.size());
        } else if (body.size() < 0x100) {
            out.write(0x81);
            out.write(body.size());
        } else {
            out.write(0x82);
            out.write(body.size() >> 8);
            out.write(body.size());
        }
        out.writeBytes(body.toByteArray());
        return out.toByteArray();
    }

    private static byte[] hex(String digits) {
        return HexFormat.of().parseHex(digits);
    }
}
