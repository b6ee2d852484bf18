package dev.ebb.plan.cache;

import java.util.Optional;

/**
 * Results of long searches, by a digest of all that they depend on. A search gives the same with a
 * cache and without: what is found is checked before it is used, and what fails the check is
 * searched for anew.
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

    /** What was put under this key, if it is still there. */
    Optional<byte[]> find(String key);

    /** Keeps a result, in place of what was there before. */
    void put(String key, byte[] result);
}
