package duet.suite;

import java.io.IOException;
import org.apache.lucene.analysis.standard.StandardAnalyzer;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.IntPoint;
import org.apache.lucene.document.StringField;
import org.apache.lucene.document.TextField;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.NoMergePolicy;
import org.apache.lucene.index.SerialMergeScheduler;
import org.apache.lucene.store.Directory;

/** Generated documents, and how they are indexed: by one thread. */
final class LuceneDocuments {
    private final String[] texts;

    LuceneDocuments(int count, int words) {
        Inputs inputs = new Inputs("documents");
        texts = new String[count];
        for (int i = 0; i < count; i++) {
            texts[i] = inputs.words(words / 2 + inputs.below(words));
        }
    }

    /** Returns how many documents the index has. */
    long index(Directory directory) throws IOException {
        IndexWriterConfig config = new IndexWriterConfig(new StandardAnalyzer())
                .setMergeScheduler(new SerialMergeScheduler())
                .setMergePolicy(NoMergePolicy.INSTANCE)
                .setUseCompoundFile(false);
        try (IndexWriter writer = new IndexWriter(directory, config)) {
            for (int i = 0; i < texts.length; i++) {
                Document document = new Document();
                document.add(new StringField("name", "d" + i, Field.Store.YES));
                document.add(new IntPoint("length", texts[i].length()));
                document.add(new TextField("text", texts[i], Field.Store.NO));
                writer.addDocument(document);
            }
            writer.commit();
            return writer.getDocStats().numDocs;
        }
    }
}
