package dev.ebb.plan.cache;

import java.util.Optional;

/**
 * Results of long searches, stored under a digest of everything that they depend on. A search has
 * the same result with and without a cache: a stored result is checked before it is used, and
 * searched for again if it fails the check.
 */
public interface SearchCache {
    /** Holds nothing. */
    SearchCache NONE =
            new SearchCache() {
                @Override
                public Optional<byte[]> find(String key) {
                    return Optional.empty();
                }

                @Override
                public void put(String key, byte[] result) {}
            };

    /** The result stored under this key, if it is still there. */
    Optional<byte[]> find(String key);

    /** Stores a result, replacing an earlier one. */
    void put(String key, byte[] result);
}
