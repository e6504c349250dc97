package duet;

/** The harness cannot be had, is misused, or its measurement was ended by an error. */
public final class DuetException extends RuntimeException {
    private static final long serialVersionUID = 1;

    /** What it says. */
    public DuetException(String message) {
        super(message);
    }

    DuetException(String message, Throwable cause) {
        super(message, cause);
    }
}
