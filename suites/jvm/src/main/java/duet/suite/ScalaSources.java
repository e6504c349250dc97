package duet.suite;

/** Generated Scala: traits, case classes, pattern matching, collections. */
final class ScalaSources {
    private ScalaSources() {}

    /** One file of `units` small modules; `spread` puts blanks where nobody wants them. */
    static String source(Inputs inputs, int units, boolean spread) {
        String gap = spread ? "   " : " ";
        StringBuilder text = new StringBuilder("package q\n\n");
        for (int i = 0; i < units; i++) {
            text.append("sealed trait Shape").append(i).append(" {").append(gap)
                .append("def area").append(spread ? " :" : ":").append(gap).append("Int }\n")
                .append("case class Box").append(i).append("(a: Int,").append(gap)
                .append("b: Int) extends Shape").append(i).append(" { def area = a*b }\n")
                .append("case class Line").append(i).append("(l: List[Int]) extends Shape")
                .append(i).append(" {\n").append(gap).append("def area = l.map( _+")
                .append(inputs.below(9)).append(" ).filter(_ % 2==0).sum\n}\n")
                .append("object Use").append(i).append(" {\n");
            for (int k = 0; k < 4 + inputs.below(4); k++) {
                text.append(gap).append("def ").append(inputs.word()).append(k)
                    .append("(s: Shape").append(i).append(", n: Int): Either[String, Int] = s match {\n")
                    .append(gap).append(gap).append("case Box").append(i)
                    .append("(a, b) if a>").append(inputs.below(50))
                    .append(" => Right(a + b*n)\n")
                    .append(gap).append("case Line").append(i)
                    .append("(x :: xs) => for { y <- Right(x); z <- Right(xs.size) } yield y*z\n")
                    .append(gap).append(gap).append("case other => Left(\"")
                    .append(inputs.words(3)).append("\" + other.area)\n").append(gap)
                    .append("}\n");
            }
            text.append("}\n\n");
        }
        return text.toString();
    }
}
