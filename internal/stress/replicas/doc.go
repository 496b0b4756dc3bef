// Package replicas runs several informerds with one leader election on a real control plane, under
// changes without a pause, and takes the leader away over and over: it is killed (SIGKILL), asked
// to stop (SIGTERM), frozen for longer than its Lease (SIGSTOP), or cut off from the API server. It
// has no code but tests.
//
// What receivers got is compared with what was written:
//
//   - of each object, the last state has come, or the delete of each uid of which a state came;
//   - no state comes after a newer one of its object;
//   - violated and resolved alternate;
//   - after SIGTERM nothing comes twice, and else nothing that came longer than the interval before
//     the leader was taken away;
//   - two replicas never deliver at the same time, beyond what was under way;
//   - a successor delivers in time.
//
// The same is done with replicas that share the work by shards, where what is at one replica at a time
// is a namespace or an object, and where all replicas but one are asked to stop at once and started
// again. TestShardsSpeedUp compares the time that four replicas take with that of one.
//
// It only runs if STRESS is set: with STRESS=short for a minute or two. STRESS=full takes the
// leader away 50 times by SIGKILL, 20 times by SIGTERM, 10 times by SIGSTOP and 10 times by cutting
// it off, with two replicas and then with three. STRESS_SEED=N repeats a run as far as the machine
// allows.
package replicas
