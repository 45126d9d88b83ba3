-- What the planner knows of this machine.  Figures differ from run to run; that there are some does not.
SELECT figure, device, nanoseconds > 0 AS positive FROM gpudb.calibration;
SET gpudb.cpu_threads = 3;
-- a machine that is busy shows figures that are not believed, which a WARNING tells
SET client_min_messages = error;
SELECT gpudb.calibrate();
SELECT count(*) AS figures, count(measured) > count(*) / 2 AS most_measured, bool_and(nanoseconds BETWEEN 0.0001 AND 1e8) AS plausible
FROM gpudb.calibration WHERE device <> 'gpu' AND figure <> 'cpu_thread';
-- what it has made is gone, what it has set is back
SELECT relname FROM pg_class WHERE relname LIKE 'calibration%' AND relkind = 'r';
SHOW gpudb.cpu_threads;
-- it writes
BEGIN READ ONLY;
SELECT gpudb.calibrate();
ROLLBACK;
-- and takes the whole machine's time
CREATE ROLE calibration_user;
SET ROLE calibration_user;
SELECT count(*) > 0 AS seen FROM gpudb.calibration;
SELECT gpudb.calibrate();
RESET ROLE;
DROP ROLE calibration_user;
