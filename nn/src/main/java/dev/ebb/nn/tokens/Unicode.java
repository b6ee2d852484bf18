package dev.ebb.nn.tokens;

/** Properties of characters, as published tokenizers define them. */
final class Unicode {
    private Unicode() {}

    /** White_Space, including no-break spaces. */
    static boolean isWhite(int c) {
        return (c >= 9 && c <= 13) || c == 0x85 || Character.isSpaceChar(c);
    }

    static boolean isControl(int c) {
        if (c == '\t' || c == '\n' || c == '\r') return false;
        return switch (Character.getType(c)) {
            case Character.CONTROL, Character.FORMAT, Character.PRIVATE_USE -> true;
            default -> false;
        };
    }

    static boolean isMark(int c) {
        return switch (Character.getType(c)) {
            case Character.NON_SPACING_MARK,
                    Character.COMBINING_SPACING_MARK,
                    Character.ENCLOSING_MARK ->
                    true;
            default -> false;
        };
    }

    static boolean isNumber(int c) {
        return switch (Character.getType(c)) {
            case Character.DECIMAL_DIGIT_NUMBER, Character.LETTER_NUMBER, Character.OTHER_NUMBER ->
                    true;
            default -> false;
        };
    }

    /** Punctuation, and the symbols of ASCII. */
    static boolean isPunctuation(int c) {
        if (c < 128) return c > 32 && c < 127 && !Character.isLetterOrDigit(c);
        return switch (Character.getType(c)) {
            case Character.CONNECTOR_PUNCTUATION,
                    Character.DASH_PUNCTUATION,
                    Character.START_PUNCTUATION,
                    Character.END_PUNCTUATION,
                    Character.INITIAL_QUOTE_PUNCTUATION,
                    Character.FINAL_QUOTE_PUNCTUATION,
                    Character.OTHER_PUNCTUATION ->
                    true;
            default -> false;
        };
    }

    /** The blocks of Chinese characters that BERT splits into single characters. */
    static boolean isIdeograph(int c) {
        return (c >= 0x4e00 && c <= 0x9fff)
                || (c >= 0x3400 && c <= 0x4dbf)
                || (c >= 0x20000 && c <= 0x2a6df)
                || (c >= 0x2a700 && c <= 0x2b73f)
                || (c >= 0x2b740 && c <= 0x2b81f)
                || (c >= 0x2b920 && c <= 0x2ceaf)
                || (c >= 0xf900 && c <= 0xfaff)
                || (c >= 0x2f800 && c <= 0x2fa1f);
    }

    static String stripped(String text, boolean left, boolean right) {
        int from = 0;
        int to = text.length();
        while (left && from < to && isWhite(text.charAt(from))) from++;
        while (right && from < to && isWhite(text.charAt(to - 1))) to--;
        return text.substring(from, to);
    }
}
