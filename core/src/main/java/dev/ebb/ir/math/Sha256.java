package dev.ebb.ir.math;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** The digest SHA-256, by which files, plans and models are told apart. */
public final class Sha256 {
    private Sha256() {}

    /** A digest of nothing yet. */
    public static MessageDigest start() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }
}
