/** A module that uses Ebb. */
module my.app {
    requires dev.ebb;
}
