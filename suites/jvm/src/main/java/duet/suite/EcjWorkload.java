package duet.suite;

import java.io.File;
import java.io.IOException;
import java.util.Locale;
import java.util.Map;
import org.eclipse.jdt.internal.compiler.ClassFile;
import org.eclipse.jdt.internal.compiler.CompilationResult;
import org.eclipse.jdt.internal.compiler.Compiler;
import org.eclipse.jdt.internal.compiler.DefaultErrorHandlingPolicies;
import org.eclipse.jdt.internal.compiler.ICompilerRequestor;
import org.eclipse.jdt.internal.compiler.batch.CompilationUnit;
import org.eclipse.jdt.internal.compiler.batch.FileSystem;
import org.eclipse.jdt.internal.compiler.env.ICompilationUnit;
import org.eclipse.jdt.internal.compiler.impl.CompilerOptions;
import org.eclipse.jdt.internal.compiler.problem.DefaultProblemFactory;

/** Compiles classes, from source in memory to class files in memory, in one thread. */
final class EcjWorkload implements Workload {
    private static final int CLASSES = 40;

    private final char[][] sources = new char[CLASSES][];
    private final CompilerOptions options = new CompilerOptions(Map.of(
            CompilerOptions.OPTION_Source, "17",
            CompilerOptions.OPTION_Compliance, "17",
            CompilerOptions.OPTION_TargetPlatform, "17"));

    /** The classes of the JVM that executes it. */
    private static final class Library extends FileSystem {
        Library() throws IOException {
            super(new Classpath[] {
                getJrtClasspath(System.getProperty("java.home"), "UTF-8", null, Map.of()),
            }, new String[0], false);
        }
    }

    private static final class Counter implements ICompilerRequestor {
        private long files;
        private long errors;

        @Override
        public void acceptResult(CompilationResult result) {
            errors += result.hasErrors() ? 1 : 0;
            for (ClassFile file : result.getClassFiles()) {
                files += file.getBytes().length > 1000 ? 1 : 0;
            }
        }
    }

    @Override
    public void setUp() {
        Inputs inputs = new Inputs("java");
        for (int i = 0; i < CLASSES; i++) {
            sources[i] = JavaSources.source(inputs, i).toCharArray();
        }
    }

    /** The number of class files, and of sources with errors. */
    @Override
    public long iterate() throws IOException {
        ICompilationUnit[] units = new ICompilationUnit[CLASSES];
        for (int i = 0; i < CLASSES; i++) {
            units[i] = new CompilationUnit(sources[i], "p" + File.separator + "C" + i + ".java",
                    "UTF-8");
        }
        Counter counter = new Counter();
        Library library = new Library();
        Compiler compiler = new Compiler(library,
                DefaultErrorHandlingPolicies.proceedWithAllProblems(), options, counter,
                new DefaultProblemFactory(Locale.ROOT));
        compiler.useSingleThread = true;
        compiler.compile(units);
        library.cleanup();
        return counter.files * 1000 + counter.errors;
    }

    @Override
    public long expected() {
        return CLASSES * 1000;
    }
}
