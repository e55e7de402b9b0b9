"""How a run ended, as an enumeration that the extension hands out."""

from enum import Enum
from typing import final


@final
class Termination(Enum):
    """How a run ended. Where several limits were passed, the first listed here that applies is named."""

    OUTPUT_LIMIT = "output_limit"
    MEMORY_LIMIT = "memory_limit"
    CPU_TIME_LIMIT = "cpu_time_limit"
    WALL_TIME_LIMIT = "wall_time_limit"
    PROCESS_LIMIT = "process_limit"
    STOPPED = "stopped"
    SIGNALED = "signaled"
    EXITED = "exited"
