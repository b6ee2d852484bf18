package dev.ebb.plan.schedule;

/**
 * A pool of host memory to offload values to. It is allocated once, with the size that the plan
 * promises, at most {@code bytes}.
 *
 * @param kind whether a GPU can access it directly
 */
public record Host(Kind kind, long bytes, Speed speed) implements Place {

    /** How the pool is allocated. */
    public enum Kind {
        PAGEABLE("host memory"),

        /**
         * Allocated by the driver of a GPU, which can then copy while the GPU computes. On a device
         * that computes in host memory there is no driver, and this is the same as {@link
         * #PAGEABLE}.
         */
        PINNED("pinned host memory");

        private final String text;

        Kind(String text) {
            this.text = text;
        }
    }

    public Host {
        Place.requireCapacity(bytes);
    }

    /** Ordinary memory, as fast as {@link Speed#memory}. */
    public static Host memory(long bytes) {
        return new Host(Kind.PAGEABLE, bytes, Speed.memory());
    }

    /** Memory for the transfers of a card, as fast as {@link Speed#pcie}. */
    public static Host pinned(long bytes) {
        return new Host(Kind.PINNED, bytes, Speed.pcie());
    }

    /** A card copies both ways at once; ordinary memory is copied by the processor. */
    @Override
    public boolean isTwoWay() {
        return switch (kind) {
            case PAGEABLE -> false;
            case PINNED -> true;
        };
    }

    @Override
    public Way way() {
        return Way.HOST;
    }

    @Override
    public String name() {
        return kind.text;
    }
}
