// Teams: several items that share a hash, each with some of its words, where there are too few hashes to fill the device and the time is one hash's latency.

// Orders a team's accesses to work-group memory. A team lies within one warp; OpenCL has no barrier for that.
#ifdef __OPENCL_VERSION__
#define TEAM_BARRIER() BARRIER()
#else
#define TEAM_BARRIER() __syncwarp()
#endif
