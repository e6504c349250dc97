package duet.suite;

import java.util.Properties;
import org.python.core.PyCode;
import org.python.core.PyObject;
import org.python.util.PythonInterpreter;

/** A script in Python: words counted and sorted, a small class hierarchy, a sieve, queens. */
final class JythonWorkload implements Workload {
    private static final String SCRIPT = """
            class Shape(object):
                def __init__(self, name):
                    self.name = name
                def area(self):
                    raise NotImplementedError()
            class Box(Shape):
                def __init__(self, name, a, b):
                    Shape.__init__(self, name)
                    self.a, self.b = a, b
                def area(self):
                    return self.a * self.b

            def count(text):
                found = {}
                for word in text.split():
                    word = word.strip('.')
                    found[word] = found.get(word, 0) + 1
                return sorted(found.items(), key=lambda pair: (-pair[1], pair[0]))

            def sieve(n):
                flags = [True] * (n + 1)
                for i in range(2, int(n ** 0.5) + 1):
                    if flags[i]:
                        for k in range(i * i, n + 1, i):
                            flags[k] = False
                return sum(1 for i in range(2, n + 1) if flags[i])

            def queens(n, row, columns, up, down):
                if row == n:
                    return 1
                found = 0
                for c in range(n):
                    if c not in columns and row + c not in up and row - c not in down:
                        found += queens(n, row + 1, columns | set([c]), up | set([row + c]),
                                        down | set([row - c]))
                return found

            words = count(text)
            areas = sum(Box(w, len(w), c).area() for w, c in words)
            result = (len(words) * 1000003 + areas) * 1000 + sieve(30000) % 1000 + \\
                queens(6, 0, frozenset(), frozenset(), frozenset())
            """;

    private PythonInterpreter interpreter;
    private PyCode code;

    @Override
    public void setUp() {
        Properties options = new Properties();
        options.setProperty("python.cachedir.skip", "true");
        options.setProperty("python.import.site", "false");
        PythonInterpreter.initialize(System.getProperties(), options, new String[] {""});
        interpreter = new PythonInterpreter();
        interpreter.set("text", new Inputs("script").words(20000));
        code = interpreter.compile(SCRIPT);
    }

    @Override
    public long iterate() {
        interpreter.exec(code);
        PyObject result = interpreter.get("result");
        return result.asLong();
    }

    @Override
    public long expected() {
        return 1174110275249L;
    }
}
