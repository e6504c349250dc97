// SPDX-License-Identifier: MIT
package duet;

import java.util.ArrayList;
import java.util.List;

/** The named parts of an iteration. */
final class Regions {
    private static final int MOST = 16;

    final List<String> names = new ArrayList<>();
    // What an iteration spent in each.
    final boolean[] visited = new boolean[MOST];
    final long[] first = new long[MOST];
    final long[] spent = new long[MOST];
    final long[] spentCpu = new long[MOST];
    private int open = -1;
    private long opened;
    private long openedCpu;

    void begin() {
        open = -1;
        for (int i = 0; i < names.size(); i++) {
            visited[i] = false;
            spent[i] = 0;
            spentCpu[i] = 0;
        }
    }

    void leave(long now, long nowCpu) {
        if (open >= 0) {
            spent[open] += now - opened;
            spentCpu[open] += nowCpu - openedCpu;
            open = -1;
        }
    }

    /** Leaves the open one, and enters the one of this name; returns what is wrong, or null. */
    String enter(String name, long now, long nowCpu) {
        leave(now, nowCpu);
        if (name == null) {
            return null;
        }
        int index = names.indexOf(name);
        if (index < 0) {
            if (!name.matches("[ -~]{1,31}")) {
                return "region() was called with a name that is not 1 to 31 printable characters "
                        + "of ASCII";
            }
            if (names.size() == MOST) {
                return "region() was called with more than 16 different names";
            }
            index = names.size();
            names.add(name);
        }
        open = index;
        if (!visited[index]) {
            visited[index] = true;
            first[index] = now;
        }
        opened = now;
        openedCpu = nowCpu;
        return null;
    }
}
