/* Flow between two walls by the lattice-Boltzmann method: nine velocities in two
 * dimensions, one relaxation time (Bhatnagar, Gross and Krook), walls that bounce back,
 * a constant force along the channel. 519.lbm does the same in three dimensions. Prints
 * the mass, which stays, and the fastest flow. */
#include <stdio.h>
#include <stdlib.h>

enum { WIDTH = 256, HEIGHT = 96, VELOCITIES = 9, STEPS = 120 };

static const int velocity_x[VELOCITIES] = {0, 1, 0, -1, 0, 1, -1, -1, 1};
static const int velocity_y[VELOCITIES] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
static const int opposite[VELOCITIES] = {0, 3, 4, 1, 2, 7, 8, 5, 6};
static const double weight[VELOCITIES] = {4.0 / 9,  1.0 / 9,  1.0 / 9,
                                          1.0 / 9,  1.0 / 9,  1.0 / 36,
                                          1.0 / 36, 1.0 / 36, 1.0 / 36};

typedef double field[HEIGHT][WIDTH][VELOCITIES];

static double relaxed(int k, double density, double ux, double uy)
{
    double along = velocity_x[k] * ux + velocity_y[k] * uy;
    return weight[k] * density *
           (1 + 3 * along + 4.5 * along * along - 1.5 * (ux * ux + uy * uy));
}

/* Collides at a cell of `from` and streams into `to`. Returns the speed along it. */
static double step_cell(field *from, field *to, int x, int y)
{
    static const double omega = 1.2;
    static const double force = 1e-5;
    const double *cell = (*from)[y][x];
    double density = 0;
    double ux = 0;
    double uy = 0;
    for (int k = 0; k < VELOCITIES; k++) {
        density += cell[k];
        ux += velocity_x[k] * cell[k];
        uy += velocity_y[k] * cell[k];
    }
    ux = ux / density;
    uy = uy / density;
    for (int k = 0; k < VELOCITIES; k++) {
        double value = cell[k] + omega * (relaxed(k, density, ux, uy) - cell[k]) +
                       3 * weight[k] * force * velocity_x[k];
        int next_x = (x + velocity_x[k] + WIDTH) % WIDTH;
        int next_y = y + velocity_y[k];
        if (next_y < 0 || next_y >= HEIGHT) {
            (*to)[y][x][opposite[k]] = value;
        } else {
            (*to)[next_y][next_x][k] = value;
        }
    }
    return ux;
}

int main(void)
{
    field *fields[2] = {calloc(1, sizeof(field)), calloc(1, sizeof(field))};
    double fastest = 0;
    double mass = 0;
    if (fields[0] == NULL || fields[1] == NULL) {
        return 1;
    }
    for (int y = 0; y < HEIGHT; y++) {
        for (int x = 0; x < WIDTH; x++) {
            for (int k = 0; k < VELOCITIES; k++) {
                (*fields[0])[y][x][k] = weight[k];
            }
        }
    }
    for (int step = 0; step < STEPS; step++) {
        fastest = 0;
        for (int y = 0; y < HEIGHT; y++) {
            for (int x = 0; x < WIDTH; x++) {
                double ux = step_cell(fields[step % 2], fields[1 - step % 2], x, y);
                fastest = ux > fastest ? ux : fastest;
            }
        }
    }
    for (int y = 0; y < HEIGHT; y++) {
        for (int x = 0; x < WIDTH; x++) {
            for (int k = 0; k < VELOCITIES; k++) {
                mass += (*fields[STEPS % 2])[y][x][k];
            }
        }
    }
    printf("mass %.6f fastest %.9f\n", mass / (WIDTH * HEIGHT), fastest);
    free(fields[0]);
    free(fields[1]);
    return 0;
}
