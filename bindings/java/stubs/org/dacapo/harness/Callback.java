package org.dacapo.harness;

/** The part of DaCapo's class that DuetCallback uses; DaCapo is in no registry. */
public class Callback {
    public Callback(CommandLineArgs arguments) {
    }

    public void start(String benchmark) {
    }

    public void stop(long duration) {
    }

    public boolean runAgain() {
        return false;
    }

    public boolean isWarmup() {
        return false;
    }
}
