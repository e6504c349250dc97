package duet.suite;

import java.awt.image.BufferedImage;
import java.io.StringReader;
import org.apache.batik.transcoder.TranscoderException;
import org.apache.batik.transcoder.TranscoderInput;
import org.apache.batik.transcoder.TranscoderOutput;
import org.apache.batik.transcoder.image.ImageTranscoder;

/** Parses a drawing in SVG and paints it: curves, gradients, clips; no text, no fonts. */
final class BatikWorkload implements Workload {
    private static final int SIZE = 400;

    private String drawing;

    /** Keeps the picture instead of encoding it. */
    private static final class Painter extends ImageTranscoder {
        private BufferedImage picture;

        @Override
        public BufferedImage createImage(int width, int height) {
            return new BufferedImage(width, height, BufferedImage.TYPE_INT_ARGB);
        }

        @Override
        public void writeImage(BufferedImage image, TranscoderOutput output) {
            picture = image;
        }
    }

    @Override
    public void setUp() {
        Inputs inputs = new Inputs("shapes");
        StringBuilder text = new StringBuilder("<svg xmlns='http://www.w3.org/2000/svg' width='")
                .append(SIZE).append("' height='").append(SIZE)
                .append("'><defs><radialGradient id='g'><stop offset='0' stop-color='#fc3'/>")
                .append("<stop offset='1' stop-color='#306'/></radialGradient>")
                .append("<clipPath id='c'><circle cx='200' cy='200' r='190'/></clipPath></defs>")
                .append("<g clip-path='url(#c)'>");
        for (int i = 0; i < 250; i++) {
            int x = inputs.below(SIZE);
            int y = inputs.below(SIZE);
            text.append("<path transform='rotate(").append(inputs.below(360)).append(' ')
                .append(x).append(' ').append(y).append(")' d='M").append(x).append(' ').append(y);
            for (int k = 0; k < 6; k++) {
                text.append(" q");
                for (int c = 0; c < 4; c++) {
                    text.append(inputs.below(80) - 40).append(' ');
                }
            }
            text.append("z' stroke='#").append(100000 + inputs.below(899999))
                .append("' stroke-width='").append(1 + inputs.below(4)).append("' fill='")
                .append(i % 3 == 0 ? "url(#g)" : "none").append("' opacity='0.8'/>");
        }
        drawing = text.append("</g></svg>").toString();
    }

    /** How many percent of the picture are covered: not every renderer rounds alike. */
    @Override
    public long iterate() throws TranscoderException {
        Painter painter = new Painter();
        painter.transcode(new TranscoderInput(new StringReader(drawing)), null);
        int[] pixels = painter.picture.getRGB(0, 0, SIZE, SIZE, null, 0, SIZE);
        long covered = 0;
        for (int pixel : pixels) {
            covered += pixel >>> 24 > 127 ? 1 : 0;
        }
        return (covered * 100 + pixels.length / 2) / pixels.length;
    }

    @Override
    public long expected() {
        return 56;
    }
}
