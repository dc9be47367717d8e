/*
 * A wind tunnel in the manner of MP3D, the second case study of Chiron's thesis. Eight threads move
 * particles through cells of space and let collide what meets there. Each counts in a Quadrant of its own.
 *
 * The mistake: a Quadrant has 64 bytes, a block of an L1 cache, but four of them are a block of an L2
 * cache, and one such block has those of threads 3 to 6, whose CPUs have different L2 caches. With
 * -DFIXED each Quadrant has 256 bytes, a block of both.
 *
 *     pipeglass c++ -g -O1 tunnel.cpp -o tunnel
 *     pipeglass record --caches thesis-8 -- ./tunnel
 */
#include <pipeglass/mem.h>

#include <new>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef FIXED
enum { QUADRANT_BLOCK = 256 };
#else
enum { QUADRANT_BLOCK = 64 };
#endif

enum { THREADS = 8, PARTICLES = 800, STEPS = 2 };
enum { LENGTH = 8, HEIGHT = 8, DEPTH = 8, CELLS = LENGTH * HEIGHT * DEPTH };

struct alignas(QUADRANT_BLOCK) Quadrant {
	int moved, left, collided;
	float energy;
};

struct alignas(64) Particle {
	float x, y, z, u, v, w; /* place and speed */
	void move(Quadrant &mine);
};

struct alignas(64) Cell {
	Particle *last;
	int particles, collisions;
	float momentum, energy;
	void collide(Quadrant &mine);
};

/* What all threads use; nothing else is in a block with the count of all collisions. */
static struct alignas(256) {
	Cell *cells;
	Particle *particles;
	Quadrant *quadrants; /* the first is the sum of the others */
	pthread_barrier_t phase;
	alignas(256) int collisions;
} tunnel;

/* Objects of one class, one behind the other, each of them with a name. */
template <class T> static T *pool(int count, const char *name)
{
	T *all = static_cast<T *>(aligned_alloc(256, (sizeof(T) * count + 255) / 256 * 256));

	for (int i = 0; i < count; i++) {
		new (&all[i]) T();
		PGMEM_OBJECT(&all[i], sizeof(T), name);
	}
	return all;
}

static float random_below(float most)
{
	static unsigned seed = 7;

	seed = seed * 1664525 + 1013904223;
	return (seed >> 8) * most / (1 << 24);
}

static void set_up()
{
	tunnel.quadrants = pool<Quadrant>(1 + THREADS, "Quadrant");
	tunnel.cells = pool<Cell>(CELLS, "Cell");
	tunnel.particles = pool<Particle>(PARTICLES, "Particle");
	for (int i = 0; i < PARTICLES; i++) {
		Particle &p = tunnel.particles[i];
		p.x = random_below(LENGTH);
		p.y = random_below(HEIGHT);
		p.z = random_below(DEPTH);
		p.u = 0.5f + random_below(0.2f);
		p.v = random_below(0.2f);
		p.w = random_below(0.2f);
	}
}

/* A step in one direction, in which walls throw back. */
static void step(float &place, float &speed, int size)
{
	place += speed;
	if (place < 0 || place >= size) {
		speed = -speed;
		place += 2 * speed;
	}
}

void Particle::move(Quadrant &mine)
{
	x += u;
	if (x >= LENGTH) { /* another one enters */
		x -= LENGTH;
		mine.left++;
	}
	step(y, v, HEIGHT);
	step(z, w, DEPTH);
	Cell &c = tunnel.cells[((int)x * HEIGHT + (int)y) * DEPTH + (int)z];
	c.last = this; /* without a lock, as in MP3D */
	c.particles++;
	c.momentum += u;
	mine.moved++;
	mine.energy += u * u;
}

void Cell::collide(Quadrant &mine)
{
	energy += momentum * momentum;
	if (particles > 1) {
		const float v = last->v;
		last->v = last->w;
		last->w = v;
		collisions++;
		mine.collided++;
		__atomic_fetch_add(&tunnel.collisions, 1, __ATOMIC_RELAXED);
	}
	particles = 0;
	momentum = 0;
}

static void *work(void *number)
{
	const int thread = static_cast<int>(reinterpret_cast<long>(number));

	Quadrant &mine = tunnel.quadrants[1 + thread];

	for (int i = 0; i < STEPS; i++) {
		for (int p = thread; p < PARTICLES; p += THREADS)
			tunnel.particles[p].move(mine);
		pthread_barrier_wait(&tunnel.phase);
		for (int c = thread; c < CELLS; c += THREADS)
			tunnel.cells[c].collide(mine);
		pthread_barrier_wait(&tunnel.phase);
	}
	return NULL;
}

int main()
{
	pthread_t threads[THREADS];

	TRACE_OFF();
	set_up();
	TRACE_ON();
	pthread_barrier_init(&tunnel.phase, NULL, THREADS);
	for (long i = 1; i < THREADS; i++)
		pthread_create(&threads[i], NULL, work, reinterpret_cast<void *>(i));
	work(NULL);
	for (int i = 1; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	for (int i = 1; i <= THREADS; i++)
		tunnel.quadrants[0].moved += tunnel.quadrants[i].moved;
	printf("%d particles moved, %d collisions\n", tunnel.quadrants[0].moved, tunnel.collisions);
	return 0;
}
