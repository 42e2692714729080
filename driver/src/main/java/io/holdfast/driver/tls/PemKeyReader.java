package io.holdfast.driver.tls;

import java.io.ByteArrayOutputStream;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads an unencrypted private key in the PEM forms that openssl and others write: PKCS#8, and the
 * older PKCS#1 (RSA) and SEC 1 (EC), which are wrapped into PKCS#8.
 */
final class PemKeyReader {
    private static final Pattern BLOCK =
            Pattern.compile(
                    "-----BEGIN ((?:[A-Z]+ )*PRIVATE KEY)-----(.*?)-----END \\1-----",
                    Pattern.DOTALL);

    /** In the older forms, an encrypted key has a header instead of a label of its own. */
    private static final String ENCRYPTED_HEADER = "Proc-Type: 4,ENCRYPTED";

    private static final String CONVERSION = "openssl pkcs8 -topk8 -nocrypt";

    // Algorithm identifiers in DER: rsaEncryption with NULL, and the object id of id-ecPublicKey.
    private static final byte[] RSA = hex("300d06092a864886f70d0101010500");
    private static final byte[] EC_PUBLIC_KEY = hex("06072a8648ce3d0201");
    private static final byte[] VERSION_0 = hex("020100");

    private PemKeyReader() {}

    static PrivateKey read(String pem) throws GeneralSecurityException {
        Matcher block = BLOCK.matcher(pem);
        if (!block.find()) {
            throw new GeneralSecurityException("no private key in it");
        }
        String label = block.group(1);
        String content = block.group(2);
        if (label.equals("ENCRYPTED PRIVATE KEY") || content.contains(ENCRYPTED_HEADER)) {
            throw new GeneralSecurityException(
                    "encrypted keys are not supported (" + CONVERSION + " decrypts it)");
        }
        return switch (label) {
            case "RSA PRIVATE KEY" -> pkcs8(wrap(RSA, decoded(content)), List.of("RSA"));
            case "EC PRIVATE KEY" -> {
                byte[] der = decoded(content);
                yield pkcs8(wrap(ecAlgorithm(der), der), List.of("EC"));
            }
            case "PRIVATE KEY" -> pkcs8(decoded(content), List.of("RSA", "EC", "EdDSA"));
            default ->
                    throw new GeneralSecurityException(
                            "the form "
                                    + label
                                    + " is not supported, an RSA, EC or EdDSA key in PKCS#8 is ("
                                    + CONVERSION
                                    + " writes it)");
        };
    }

    private static byte[] decoded(String base64) throws GeneralSecurityException {
        try {
            return Base64.getMimeDecoder().decode(base64);
        } catch (IllegalArgumentException e) {
            throw new GeneralSecurityException("not valid base64", e);
        }
    }

    private static PrivateKey pkcs8(byte[] der, List<String> algorithms)
            throws GeneralSecurityException {
        for (String algorithm : algorithms) {
            try {
                return KeyFactory.getInstance(algorithm)
                        .generatePrivate(new PKCS8EncodedKeySpec(der));
            } catch (GeneralSecurityException e) {
                // not of this algorithm: try the next one
            }
        }
        throw new GeneralSecurityException("not an RSA, EC or EdDSA private key");
    }

    private static byte[] wrap(byte[] algorithm, byte[] key) {
        return tagged(0x30, VERSION_0, algorithm, tagged(0x04, key));
    }

    /** The curve is in the key itself, as element [0] after the version and the private number. */
    private static byte[] ecAlgorithm(byte[] key) throws GeneralSecurityException {
        try {
            int at = contentAt(key, 0);
            at = endOf(key, at);
            at = endOf(key, at);
            if ((key[at] & 0xff) != 0xa0) {
                throw new GeneralSecurityException("EC key without named curve");
            }
            byte[] curve = Arrays.copyOfRange(key, contentAt(key, at), endOf(key, at));
            return tagged(0x30, EC_PUBLIC_KEY, curve);
        } catch (ArrayIndexOutOfBoundsException e) {
            throw new GeneralSecurityException("not a valid EC key", e);
        }
    }

    private static int contentAt(byte[] der, int at) {
        int first = der[at + 1] & 0xff;
        return at + 2 + (first < 0x80 ? 0 : first & 0x7f);
    }

    private static int endOf(byte[] der, int at) throws GeneralSecurityException {
        int first = der[at + 1] & 0xff;
        int content = contentAt(der, at);
        int length = first;
        if (first >= 0x80) {
            length = 0;
            for (int i = at + 2; i < content; i++) {
                length = (length << 8) | (der[i] & 0xff);
            }
        }
        if (length < 0 || length > der.length - content) {
            throw new GeneralSecurityException("not a valid EC key");
        }
        return content + length;
    }

    private static byte[] tagged(int tag, byte[]... contents) {
        int length = 0;
        for (byte[] content : contents) {
            length += content.length;
        }
        var out = new ByteArrayOutputStream();
        out.write(tag);
        if (length < 0x80) {
            out.write(length);
        } else if (length < 0x100) {
            out.write(0x81);
            out.write(length);
        } else {
            out.write(0x82);
            out.write(length >> 8);
            out.write(length);
        }
        for (byte[] content : contents) {
            out.writeBytes(content);
        }
        return out.toByteArray();
    }

    private static byte[] hex(String digits) {
        return HexFormat.of().parseHex(digits);
    }
}
