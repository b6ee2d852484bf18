package dev.ebb.plan;

final class Explanation {
    static String of(Plan p) {
        return "";
    }
}
