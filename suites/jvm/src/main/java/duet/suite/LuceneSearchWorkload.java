package duet.suite;

import java.io.IOException;
import org.apache.lucene.analysis.standard.StandardAnalyzer;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.queryparser.classic.ParseException;
import org.apache.lucene.queryparser.classic.QueryParser;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.ScoreDoc;
import org.apache.lucene.search.TopDocs;
import org.apache.lucene.store.ByteBuffersDirectory;

/** Parses and answers queries on an index in memory. */
final class LuceneSearchWorkload implements Workload {
    private static final int QUERIES = 250;

    private final String[] queries = new String[QUERIES];
    private IndexSearcher searcher;

    @Override
    public void setUp() throws IOException {
        ByteBuffersDirectory directory = new ByteBuffersDirectory();
        new LuceneDocuments(3000, 300).index(directory);
        searcher = new IndexSearcher(DirectoryReader.open(directory));
        searcher.setQueryCache(null); // every iteration answers anew
        Inputs inputs = new Inputs("queries");
        for (int i = 0; i < QUERIES; i++) {
            String[] forms = {
                inputs.word() + " " + inputs.word() + " " + inputs.word(),
                "+" + inputs.word() + " -" + inputs.word() + " " + inputs.word(),
                "\"" + inputs.word() + " " + inputs.word() + "\"~4",
                inputs.word().substring(0, 3) + "* " + inputs.word(),
                inputs.word() + "~1",
            };
            queries[i] = forms[i % forms.length];
        }
    }

    @Override
    public long iterate() throws IOException, ParseException {
        QueryParser parser = new QueryParser("text", new StandardAnalyzer());
        long sum = 0;
        for (String query : queries) {
            TopDocs found = searcher.search(parser.parse(query), 10);
            for (ScoreDoc hit : found.scoreDocs) {
                sum += Math.round(hit.score * 100);
            }
            sum += found.scoreDocs.length;
        }
        return sum;
    }

    @Override
    public long expected() {
        return 170767;
    }
}
