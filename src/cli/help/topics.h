/* The explanations of `duet help TOPIC` and of the manual pages duet-TOPIC(7): texts
 * only. */
#ifndef DUET_CLI_TOPICS_H
#define DUET_CLI_TOPICS_H

struct topic {
    const char *name;    /* one word, which no command has */
    const char *summary; /* one line, without a full stop */
    /* Lines. One that begins with two blanks is printed as it is; one with a tab is a
     * term and its meaning; any other one is a paragraph, broken to the terminal's
     * width. */
    const char *text;
};

/* Ended by a row whose name is NULL. */
extern const struct topic topics[];

/* The topic of that name; NULL: there is none. */
const struct topic *topic_find(const char *name);

#endif
