# Words of a text: how often, which pairs, which patterns; 500.perlbench works on text, too.
use strict;
use warnings;

my (%count, %pair, %shape);
open my $in, '<', $ARGV[0] or die "$ARGV[0]: $!";
while (my $line = <$in>) {
    my $before = '';
    for my $word (split ' ', $line) {
        $count{$word}++;
        $pair{"$before $word"}++ if $before ne '';
        (my $shape = $word) =~ tr/aeiou/v/;
        $shape =~ s/[^v]+/c/g;
        $shape{$shape}++;
        $before = $word;
    }
}
for my $table (\%count, \%pair, \%shape) {
    my @keys = sort { $table->{$b} <=> $table->{$a} || $a cmp $b } keys %$table;
    printf "%d\n", scalar @keys;
    printf "%s %d\n", $_, $table->{$_} for @keys[0 .. 9];
}
