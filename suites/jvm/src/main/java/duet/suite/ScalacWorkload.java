package duet.suite;

import java.nio.file.Path;
import scala.collection.immutable.List;
import scala.collection.immutable.Nil$;
import scala.reflect.internal.util.BatchSourceFile;
import scala.reflect.internal.util.SourceFile;
import scala.reflect.io.AbstractFile;
import scala.reflect.io.VirtualDirectory;
import scala.reflect.io.VirtualFile;
import scala.tools.nsc.Global;
import scala.tools.nsc.Settings;
import scala.tools.nsc.reporters.StoreReporter;

/** Compiles a file of Scala into memory with a fresh compiler. */
final class ScalacWorkload implements Workload {
    private SourceFile source;
    private String library;

    @Override
    public void setUp() throws Exception {
        source = new BatchSourceFile(new VirtualFile("q.scala"),
                ScalaSources.source(new Inputs("scala"), 2, false).toCharArray());
        library = Path.of(List.class.getProtectionDomain().getCodeSource().getLocation().toURI())
                .toString();
    }

    private static long classFiles(AbstractFile folder) {
        long files = 0;
        scala.collection.Iterator<AbstractFile> all = folder.iterator();
        while (all.hasNext()) {
            AbstractFile file = all.next();
            files += file.isDirectory() ? classFiles(file) : 1;
        }
        return files;
    }

    @Override
    public long iterate() {
        Settings settings = new Settings();
        VirtualDirectory output = new VirtualDirectory("out", scala.Option.empty());
        settings.classpath().value_$eq(library);
        settings.outputDirs().setSingleOutput(output);
        StoreReporter reporter = new StoreReporter(settings);
        Global compiler = new Global(settings, reporter);
        try {
            List<SourceFile> sources = Nil$.MODULE$.$colon$colon(source);
            compiler.new Run().compileSources(sources);
        } finally {
            compiler.close();
        }
        return classFiles(output) * 1000 + reporter.errorCount();
    }

    @Override
    public long expected() {
        return 14000;
    }
}
