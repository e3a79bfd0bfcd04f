/** Milliseconds. */
export interface Cost {
  readonly cpu: number;
  readonly wall: number;
}

/** Something whose cost is measured against something else. */
export interface Contestant {
  readonly name: string;
  /** The cost of doing it so many times, all times together. */
  sample(times: number): Cost | Promise<Cost>;
}

/** What both cost for once: medians over the runs. */
export interface Comparison {
  readonly ours: Cost;
  readonly peer: Cost | null;
  readonly runs: number;
}

export interface Effort {
  /** Samples of each side. */
  readonly runs: number;
  /** Shorter samples would measure the clock, and caches that the other side has just filled with its own data. */
  readonly sampleMs: number;
  /** Compilers need this long, or ten samples if that is longer. */
  readonly warmUpMs: number;
}

const WARM_UP_SAMPLES = 10;

/** Work in this process. `prepare` comes before each time and is not counted. */
export function local(name: string, run: () => unknown, prepare?: () => void): Contestant {
  const once = async (): Promise<Cost> => {
    prepare?.();
    return clock(async () => void (await run()));
  };
  return {
    name,
    async sample(times) {
      if (!prepare) return clock(() => repeat(run, times));
      let cpu = 0;
      let wall = 0;
      for (let i = 0; i < times; i++) {
        const cost = await once();
        cpu += cost.cpu;
        wall += cost.wall;
      }
      return { cpu, wall };
    },
  };
}

async function repeat(run: () => unknown, times: number): Promise<void> {
  for (let i = 0; i < times; i++) {
    const result = run();
    if (result instanceof Promise) await result;
  }
}

async function clock(run: () => Promise<void>): Promise<Cost> {
  const cpu = process.cpuUsage();
  const wall = performance.now();
  await run();
  const { user, system } = process.cpuUsage(cpu);
  return { cpu: (user + system) / 1e3, wall: performance.now() - wall };
}

/** Runs both in turn (A B A B), so that whatever else the machine does hits both alike. */
export async function compare(ours: Contestant, peer: Contestant | undefined, effort: Effort): Promise<Comparison> {
  const { runs } = effort;
  const contestants = peer ? [ours, peer] : [ours];
  const times: number[] = [];
  for (const contestant of contestants) times.push(await warmUp(contestant, effort));
  const costs: Cost[][] = contestants.map(() => []);
  for (let run = 0; run < runs; run++) {
    for (const [i, contestant] of contestants.entries()) {
      const { cpu, wall } = await contestant.sample(times[i]);
      costs[i].push({ cpu: cpu / times[i], wall: wall / times[i] });
    }
  }
  return { ours: medians(costs[0]), peer: peer ? medians(costs[1]) : null, runs };
}

/** Lets compilers and caches settle, and finds how many times make a sample long enough. */
async function warmUp(contestant: Contestant, { sampleMs, warmUpMs }: Effort): Promise<number> {
  const start = performance.now();
  let times = 1;
  for (let sample = 0; ; sample++) {
    const { wall } = await contestant.sample(times);
    const elapsed = performance.now() - start;
    if (wall < sampleMs) times = Math.ceil(times * Math.min(10, Math.max(1.2, (1.1 * sampleMs) / wall)));
    else if ((sample >= WARM_UP_SAMPLES && elapsed >= warmUpMs) || elapsed >= warmUpMs * 5) return times;
  }
}

function medians(costs: readonly Cost[]): Cost {
  return { cpu: median(costs.map((cost) => cost.cpu)), wall: median(costs.map((cost) => cost.wall)) };
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}
