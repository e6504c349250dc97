package duet.suite;

import net.sourceforge.pmd.PMDConfiguration;
import net.sourceforge.pmd.PmdAnalysis;
import net.sourceforge.pmd.lang.LanguageRegistry;
import net.sourceforge.pmd.lang.document.FileId;
import net.sourceforge.pmd.reporting.Report;

/** Checks classes for bad habits, with one set of rules, in the calling thread. */
final class PmdWorkload implements Workload {
    private static final int CLASSES = 4;

    private final String[] sources = new String[CLASSES];

    @Override
    public void setUp() {
        Inputs inputs = new Inputs("checked");
        for (int i = 0; i < CLASSES; i++) {
            sources[i] = JavaSources.source(inputs, i);
        }
    }

    /** What the rules find that need no types: those come from the JVM that executes it. */
    @Override
    public long iterate() {
        PMDConfiguration configuration = new PMDConfiguration();
        configuration.setThreads(0);
        configuration.setIgnoreIncrementalAnalysis(true);
        configuration.setDefaultLanguageVersion(
                LanguageRegistry.PMD.getLanguageVersionById("java", "17"));
        configuration.addRuleSet("category/java/bestpractices.xml");
        try (PmdAnalysis analysis = PmdAnalysis.create(configuration)) {
            for (int i = 0; i < CLASSES; i++) {
                analysis.files().addSourceFile(FileId.fromPathLikeString("p/C" + i + ".java"),
                        sources[i]);
            }
            Report report = analysis.performAnalysisAndCollectReport();
            long unused = report.getViolations().stream()
                    .filter(found -> found.getRule().getName().equals("UnusedLocalVariable"))
                    .count();
            return unused * 1000 + report.getProcessingErrors().size();
        }
    }

    @Override
    public long expected() {
        return 36000;
    }
}
