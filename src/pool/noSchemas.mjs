// Stands for zod in the built worker. A thread is handed a config that was checked and resolved, so its schemas are
// never asked; loading zod would double a thread's memory and the time that it takes to start.
const nothing = new Proxy(() => {}, {
  get: (_, name) => (name === Symbol.toPrimitive ? () => "" : nothing),
  apply: () => nothing,
  construct: () => nothing,
});

export const z = nothing;
export default nothing;
