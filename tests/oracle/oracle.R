# Rscript oracle.R QUESTIONS ANSWERS: a line a case, "function|number ...|number ...|...";
# the answer's numbers on the same line of ANSWERS. Base R and the package boot.
suppressPackageStartupMessages(library(boot))

numbers <- function(text) as.numeric(strsplit(text, " ", fixed = TRUE)[[1]])

mean_and_variance <- function(values, drawn) {
  x <- values[drawn]
  c(mean(x), var(x) / length(x))
}

answer <- list(
  quantile = function(a) quantile(a[[1]], a[[2]][1], type = a[[2]][2], names = FALSE),
  sd = function(a) sd(a[[1]]),
  t = function(a) t.test(a[[1]], conf.level = a[[2]])$conf.int,
  acf = function(a) acf(a[[1]], lag.max = a[[2]], plot = FALSE)$acf,
  wilcoxon = function(a) {
    p <- function(...) wilcox.test(a[[1]], a[[2]], ...)$p.value
    exact <- if (anyDuplicated(c(a[[1]], a[[2]])) == 0) p(exact = TRUE) else NaN
    c(wilcox.test(a[[1]], a[[2]], exact = FALSE)$statistic, p(exact = FALSE),
      p(exact = FALSE, correct = FALSE), exact)
  },
  adjust = function(a) c(p.adjust(a[[1]], "bonferroni"), p.adjust(a[[1]], "holm"),
                         p.adjust(a[[1]], "BH")),
  # The ends of boot.ci(type = "stud"), and the pivots that they come from.
  studentized = function(a) {
    set.seed(a[[2]][2])
    made <- boot(a[[1]], mean_and_variance, R = a[[2]][3])
    ends <- boot.ci(made, conf = a[[2]][1], type = "stud")$student[4:5]
    c(ends, (made$t[, 1] - made$t0[1]) / sqrt(made$t[, 2]))
  },
  strata = function(a) {
    set.seed(a[[3]][1])
    boot(a[[1]], function(x, i) mean(x[i]), R = a[[3]][2], strata = a[[2]])$t
  },
  series = function(a) {
    set.seed(a[[2]][1])
    tsboot(a[[1]], median, R = a[[2]][2], l = a[[2]][3],
           sim = if (a[[2]][4] == 1) "geom" else "fixed")$t
  })

files <- commandArgs(trailingOnly = TRUE)
lines <- strsplit(readLines(files[1]), "|", fixed = TRUE)
made <- vapply(lines, function(line) {
  paste(sprintf("%.17g", suppressWarnings(
    answer[[line[1]]](lapply(line[-1], numbers)))), collapse = " ")
}, "")
writeLines(made, files[2])
