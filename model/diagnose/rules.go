package diagnose

// Rules is the registry of findings, in the order in which they are judged:
// later rules may ask whether an earlier one is raised.
func Rules() []Rule {
	return []Rule{
		// client
		beforeServer(), clientPool(), clientCPU(), pathStuck(), network(),
		clientTimeout(), clientBelowTarget(), concurrencyBelowBatch(), closedLoopCeiling(),
		timeoutNear(), countsFailures(),
		// batching
		engineImbalance(), batchingOff(), batchWaitCeiling(), serverSaturated(), queueUnbounded(),
		serverRejects(), serverDown(), zombieWork(), kvPressure(),
		// gpu
		thermal(), powerCap(), powerBrake(), clockDrift(), hwSlowdownOther(),
		syncBoost(), appClocks(), boardLimit(), reliability(), display(),
		gpuIdleGaps(), lowSMActivity(), memoryBound(), computeBound(),
		// host
		memPressure(), cpuQuota(), debugLog(), cpuFreq(), serverCPU(), noisyNeighbour(),
		// trust
		serverSilent(), clientSilent(), notWarm(), unsteady(), bimodal(), clockSkew(), fewSamples(),
		coRisk(), littleMismatch(), lengthChanged(), gpuLost(), sourceStale(), logUnrecognised(),
	}
}
