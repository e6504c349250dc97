// SPDX-License-Identifier: MIT
package duet;

/** What {@link Duet} asks of the client that takes part: native code, or foreign memory. */
abstract class Harness {
    abstract boolean next();

    abstract void begin();

    abstract void end();

    abstract void count(long operations);

    /** The name, or null for none. */
    abstract void region(String name);

    abstract void took(long nanoseconds);

    abstract void handOn();

    /** Called once; throws DuetException when the measurement has failed. */
    abstract void close();

    abstract boolean attached();

    abstract long index();
}
