package duet.suite;

import scalariform.formatter.ScalaFormatter$;
import scalariform.formatter.preferences.FormattingPreferences$;

/** Puts badly formatted Scala in order. */
final class ScalariformWorkload implements Workload {
    private String source;

    @Override
    public void setUp() {
        source = ScalaSources.source(new Inputs("untidy"), 20, true);
    }

    @Override
    public long iterate() {
        String tidy = ScalaFormatter$.MODULE$.format(source, FormattingPreferences$.MODULE$.apply(),
                scala.Option.apply("\n"), 0, "2.13.15");
        return Inputs.checksum(tidy);
    }

    @Override
    public long expected() {
        return 2296899718L;
    }
}
