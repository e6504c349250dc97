package duet.suite;

import java.io.IOException;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.Term;
import org.apache.lucene.store.ByteBuffersDirectory;

/** Indexes documents into memory. */
final class LuceneIndexWorkload implements Workload {
    private LuceneDocuments documents;

    @Override
    public void setUp() {
        documents = new LuceneDocuments(1200, 200);
    }

    @Override
    public long iterate() throws IOException {
        try (ByteBuffersDirectory directory = new ByteBuffersDirectory()) {
            long count = documents.index(directory);
            try (DirectoryReader reader = DirectoryReader.open(directory)) {
                return count * 1000000 + reader.totalTermFreq(new Term("text", Inputs.word(30)));
            }
        }
    }

    @Override
    public long expected() {
        return 1200006812;
    }
}
