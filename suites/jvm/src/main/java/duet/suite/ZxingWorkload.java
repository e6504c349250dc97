package duet.suite;

import com.google.zxing.BarcodeFormat;
import com.google.zxing.BinaryBitmap;
import com.google.zxing.MultiFormatWriter;
import com.google.zxing.RGBLuminanceSource;
import com.google.zxing.common.BitMatrix;
import com.google.zxing.common.HybridBinarizer;
import com.google.zxing.qrcode.QRCodeReader;

/** Draws QR codes of texts and reads them back from the pictures. */
final class ZxingWorkload implements Workload {
    private static final int CODES = 12;
    private static final int SIZE = 300;

    private final String[] texts = new String[CODES];

    @Override
    public void setUp() {
        Inputs inputs = new Inputs("codes");
        for (int i = 0; i < CODES; i++) {
            texts[i] = inputs.words(40);
        }
    }

    /** How many texts came back as they were. */
    @Override
    public long iterate() throws Exception {
        long same = 0;
        for (String text : texts) {
            BitMatrix code = new MultiFormatWriter().encode(text, BarcodeFormat.QR_CODE, SIZE,
                    SIZE);
            int[] pixels = new int[SIZE * SIZE];
            for (int i = 0; i < pixels.length; i++) {
                pixels[i] = code.get(i % SIZE, i / SIZE) ? 0 : 0xffffff;
            }
            BinaryBitmap picture = new BinaryBitmap(new HybridBinarizer(
                    new RGBLuminanceSource(SIZE, SIZE, pixels)));
            same += new QRCodeReader().decode(picture).getText().equals(text) ? 1 : 0;
        }
        return same;
    }

    @Override
    public long expected() {
        return CODES;
    }
}
