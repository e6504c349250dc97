package org.renaissance;

/** The part of Renaissance's interface that DuetPlugin uses; it is in no registry. */
public interface Plugin {
    interface ExecutionPolicy extends Plugin {
        boolean canExecute(String benchmark, int operation);

        boolean isLast(String benchmark, int operation);
    }

    interface AfterOperationSetUpListener extends Plugin {
        void afterOperationSetUp(String benchmark, int operation, boolean isLast);
    }

    interface BeforeOperationTearDownListener extends Plugin {
        void beforeOperationTearDown(String benchmark, int operation, long durationNanos);
    }
}
