package duet.suite;

import java.io.StringReader;
import java.io.StringWriter;
import javax.xml.transform.Templates;
import javax.xml.transform.Transformer;
import javax.xml.transform.TransformerException;
import javax.xml.transform.stream.StreamResult;
import javax.xml.transform.stream.StreamSource;
import org.apache.xalan.processor.TransformerFactoryImpl;

/** Orders in XML to a report in HTML, sorted and summed by customer. */
final class XalanWorkload implements Workload {
    private static final int ORDERS = 2500;
    private static final String SHEET = """
            <xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
              <xsl:output method="html" indent="yes"/>
              <xsl:key name="by" match="order" use="@customer"/>
              <xsl:template match="/orders">
                <html><body>
                  <xsl:for-each select="order[generate-id() = generate-id(key('by', @customer)[1])]">
                    <xsl:sort select="@customer"/>
                    <h1><xsl:value-of select="@customer"/></h1>
                    <table>
                      <xsl:apply-templates select="key('by', @customer)">
                        <xsl:sort select="@price" data-type="number" order="descending"/>
                      </xsl:apply-templates>
                    </table>
                    <p><xsl:value-of select="sum(key('by', @customer)/@price)"/></p>
                  </xsl:for-each>
                </body></html>
              </xsl:template>
              <xsl:template match="order">
                <tr>
                  <td><xsl:number value="position()" format="i"/></td>
                  <td><xsl:value-of select="translate(text(), 'aeiou', 'AEIOU')"/></td>
                  <xsl:choose>
                    <xsl:when test="@price &gt; 5000"><td class="dear"><xsl:value-of select="@price"/></td></xsl:when>
                    <xsl:otherwise><td><xsl:value-of select="format-number(@price, '#,##0')"/></td></xsl:otherwise>
                  </xsl:choose>
                </tr>
              </xsl:template>
            </xsl:stylesheet>
            """;

    private String orders;
    private Templates templates;

    @Override
    public void setUp() throws TransformerException {
        Inputs inputs = new Inputs("orders");
        StringBuilder text = new StringBuilder("<orders>");
        for (int i = 0; i < ORDERS; i++) {
            text.append("<order customer='").append(Inputs.word(inputs.below(60)))
                .append("' price='").append(10 + inputs.below(9990)).append("'>")
                .append(inputs.words(8)).append("</order>\n");
        }
        orders = text.append("</orders>").toString();
        templates = new TransformerFactoryImpl().newTemplates(
                new StreamSource(new StringReader(SHEET)));
    }

    @Override
    public long iterate() throws TransformerException {
        StringWriter report = new StringWriter();
        Transformer transformer = templates.newTransformer();
        transformer.transform(new StreamSource(new StringReader(orders)),
                new StreamResult(report));
        return Inputs.checksum(report.toString());
    }

    @Override
    public long expected() {
        return 2269137997L;
    }
}
