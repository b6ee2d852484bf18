package dev.ebb.reference;

import dev.ebb.Devices;
import dev.ebb.exec.Device;
import dev.ebb.ir.DType;

import java.util.List;

final class TiledRegionsTest extends TiledRegions {
    @Override
    protected Device device() {
        return Devices.best();
    }

    @Override
    protected List<DType> types() {
        return List.of(DType.F64);
    }

    @Override
    protected int tile(int rows) {
        return 64;
    }
}
