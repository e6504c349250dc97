\\ Number fields and factors: integer arithmetic of many digits.
default(parisize, 64000000);
s = 0;
for (n = 1, 150, f = factor(10^28 + 7 * n); s += vecsum(f[, 2]));
p = bnfinit(x^5 - 7*x^3 + 11*x - 3, 1);
print(s, " ", p.no, " ", sum(k = 1, 4000, sigma(k^3)) % 1000003);
