package duet.suite;

import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.StringReader;
import java.util.Date;
import javax.xml.transform.Transformer;
import javax.xml.transform.TransformerFactory;
import javax.xml.transform.sax.SAXResult;
import javax.xml.transform.stream.StreamSource;
import org.apache.fop.apps.FOUserAgent;
import org.apache.fop.apps.Fop;
import org.apache.fop.apps.FopFactory;
import org.apache.xmlgraphics.util.MimeConstants;

/** Formats a text with tables into a PDF, with the fonts that every PDF reader has. */
final class FopWorkload implements Workload {
    private FopFactory factory;
    private String document;

    @Override
    public void setUp() {
        factory = FopFactory.newInstance(new File(".").toURI());
        Inputs inputs = new Inputs("pages");
        StringBuilder text = new StringBuilder("""
                <fo:root xmlns:fo="http://www.w3.org/1999/XSL/Format">
                <fo:layout-master-set>
                <fo:simple-page-master master-name="a" page-height="29cm" page-width="21cm" margin="2cm">
                <fo:region-body/></fo:simple-page-master>
                </fo:layout-master-set>
                <fo:page-sequence master-reference="a">
                <fo:flow flow-name="xsl-region-body" font-family="Times" font-size="10pt">
                """);
        for (int section = 0; section < 30; section++) {
            text.append("<fo:block font-size='14pt' font-weight='bold'>")
                .append(inputs.words(4)).append("</fo:block>");
            for (int i = 0; i < 3; i++) {
                text.append("<fo:block text-align='justify' space-after='4pt'>")
                    .append(inputs.words(90)).append("</fo:block>");
            }
            text.append("<fo:table table-layout='fixed' width='100%'><fo:table-body>");
            for (int row = 0; row < 6; row++) {
                text.append("<fo:table-row>");
                for (int column = 0; column < 4; column++) {
                    text.append("<fo:table-cell border='solid 0.2mm black'><fo:block>")
                        .append(inputs.words(2)).append("</fo:block></fo:table-cell>");
                }
                text.append("</fo:table-row>");
            }
            text.append("</fo:table-body></fo:table>");
        }
        document = text.append("</fo:flow></fo:page-sequence></fo:root>").toString();
    }

    /** The number of pages, and whether there is a PDF of them. */
    @Override
    public long iterate() throws Exception {
        ByteArrayOutputStream pdf = new ByteArrayOutputStream();
        FOUserAgent agent = factory.newFOUserAgent();
        agent.setCreationDate(new Date(0));
        Fop fop = factory.newFop(MimeConstants.MIME_PDF, agent, pdf);
        Transformer transformer = TransformerFactory.newDefaultInstance()
                .newTransformer();
        transformer.transform(new StreamSource(new StringReader(document)),
                new SAXResult(fop.getDefaultHandler()));
        boolean whole = pdf.toString("ISO-8859-1").trim().endsWith("%%EOF");
        return whole ? fop.getResults().getPageCount() : -1;
    }

    @Override
    public long expected() {
        return 13;
    }
}
