package io.holdfast.cluster;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;

import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * The secret that administrators of a cluster share with its nodes. It is never sent nor printed:
 * who has it proves that by a message authentication code.
 */
public final class ClusterSecret {
    private static final String ALGORITHM = "HmacSHA256";

    /** Distinguishes these codes from those of any other use of the same secret. */
    private static final String PURPOSE = "holdfast cluster administration 1";

    /** Who has seen a proof can try out short secrets. */
    private static final int MIN_BYTES = 16;

    private final byte[] bytes;

    /**
     * @throws IllegalArgumentException if it is too short; the message can be shown to a user
     */
    public ClusterSecret(byte[] bytes) {
        if (bytes.length < MIN_BYTES) {
            throw new IllegalArgumentException(
                    "the secret of the cluster must have at least "
                            + MIN_BYTES
                            + " bytes: generate it, as with openssl rand -hex 32");
        }
        this.bytes = bytes.clone();
    }

    /**
     * Returns the proof of knowing the secret.
     *
     * @param nonce chosen by the verifier for this proof alone
     * @param cluster the name of the cluster
     */
    public byte[] proof(byte[] nonce, String cluster) {
        ByteArrayOutputStream message = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(message)) {
            out.writeUTF(PURPOSE);
            out.writeInt(nonce.length);
            out.write(nonce);
            out.write(cluster.getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(e); // impossible: it is written to memory
        }
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(new SecretKeySpec(bytes, ALGORITHM));
            return mac.doFinal(message.toByteArray());
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e); // every JDK has it
        }
    }

    /** Compares in constant time. */
    public boolean proves(byte[] proof, byte[] nonce, String cluster) {
        return MessageDigest.isEqual(proof(nonce, cluster), proof);
    }

    @Override
    public String toString() {
        return "***";
    }
}
